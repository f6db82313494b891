"""Sparse linear classifiers as scikit-learn estimators: the multiclass SVM of Crammer & Singer, MaxEnt, naive Bayes, and
selection of features by mutual information.

Needs scikit-learn (``pip install chiasm[learn]``). Matrices of SciPy in compressed sparse rows are read where they are.

>>> import numpy
>>> model = SVM(C=1.0).fit(numpy.eye(3), ["a", "b", "c"])
>>> model.predict(numpy.eye(3)).tolist()
['a', 'b', 'c']
"""

from __future__ import annotations

import json
from typing import Any, Optional

import numpy

from chiasm import _chiasm

try:
    from scipy import sparse
    from sklearn.base import BaseEstimator, ClassifierMixin, TransformerMixin
    from sklearn.feature_selection import SelectorMixin
    from sklearn.utils.multiclass import check_classification_targets
    from sklearn.utils.validation import _check_sample_weight, check_is_fitted, check_non_negative, validate_data
except ImportError as missing:  # pragma: no cover
    _missing = missing

    def __getattr__(name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        raise ImportError("chiasm.learn needs scikit-learn 1.6 or newer: pip install chiasm[learn]") from _missing

else:
    __all__ = ["SVM", "MaxEnt", "MutualInformation", "NaiveBayes"]

    def _matrix(X: Any, intercept: bool = False) -> tuple:
        """Offsets, indices, values, number of columns; views of X where its types allow."""
        X = sparse.csr_matrix(X) if not sparse.issparse(X) else X.tocsr()
        if intercept:
            X = sparse.hstack([X, numpy.ones((X.shape[0], 1))], format="csr")
        indices = X.indices.astype(numpy.int32, copy=False)
        return X.indptr.astype(numpy.int64, copy=False), indices, X.data.astype(numpy.float64, copy=False), X.shape[1]

    class _Classifier(ClassifierMixin, BaseEstimator):
        """What all classifiers share."""

        _intercept = False

        def _recipe(self) -> str:
            raise NotImplementedError

        def fit(self, X: Any, y: Any, sample_weight: Optional[Any] = None) -> "_Classifier":
            """Learns from rows and their classes."""
            X, y = validate_data(self, X, y, accept_sparse="csr", dtype=numpy.float64)
            if self._positive():
                check_non_negative(X, type(self).__name__)
            check_classification_targets(y)
            self.classes_, labels = numpy.unique(y, return_inverse=True)
            if len(self.classes_) < 2:
                raise ValueError("one class only in y: there is nothing to tell apart")
            if sample_weight is not None:
                sample_weight = _check_sample_weight(sample_weight, X, dtype=numpy.float64, ensure_non_negative=True)
            self._model, report = _chiasm.learn_fit(
                self._recipe(),
                _matrix(X, self._intercept_wanted()),
                labels.astype(numpy.int64, copy=False),
                sample_weight,
                len(self.classes_),
                self.n_jobs,
                None,
            )
            self.report_ = json.loads(report)
            self.n_iter_ = max(int(self.report_["iterations"] or 0), 1)
            return self

        def _positive(self) -> bool:
            return False

        def _intercept_wanted(self) -> bool:
            return bool(getattr(self, "fit_intercept", False))

        def _predict(self, X: Any, logarithms: bool) -> numpy.ndarray:
            check_is_fitted(self)
            X = validate_data(self, X, accept_sparse="csr", dtype=numpy.float64, reset=False)
            return self._model.predict(_matrix(X, self._intercept_wanted()), logarithms, self.n_jobs)

        def predict_log_proba(self, X: Any) -> numpy.ndarray:
            """Logarithms of the probabilities of the classes."""
            return self._predict(X, True)

        def predict_proba(self, X: Any) -> numpy.ndarray:
            """Probabilities of the classes: the softmax of the scores."""
            return numpy.exp(self._predict(X, True))

        def predict(self, X: Any) -> numpy.ndarray:
            """The most probable class of each row."""
            scores = self._predict(X, False)
            return self.classes_[scores.argmax(axis=1)]

        def _weights(self) -> numpy.ndarray:
            check_is_fitted(self)
            columns = self.n_features_in_ + self._intercept_wanted()
            weights = self._model.weights(columns)
            if weights is None:
                raise AttributeError("naive Bayes has no weights")
            return weights[1:] - weights[:1] if len(weights) == 2 else weights

        def __sklearn_tags__(self) -> Any:
            tags = super().__sklearn_tags__()
            tags.input_tags.sparse = True
            tags.input_tags.positive_only = self._positive()
            # Counts are what naive Bayes is for; coordinates are not.
            tags.classifier_tags.poor_score = self._positive()
            return tags

        def __getstate__(self) -> dict:
            state = super().__getstate__()
            if "_model" in state:
                state = {**state, "_model": bytes(state["_model"].to_bytes())}
            return state

        def __setstate__(self, state: dict) -> None:
            if isinstance(state.get("_model"), bytes):
                state = {**state, "_model": _chiasm.Classifier.from_bytes(state["_model"])}
            super().__setstate__(state)

    class _Linear(_Classifier):
        """Weights, and the certificate that they are as good as they can be."""

        def decision_function(self, X: Any) -> numpy.ndarray:
            """Scores of the classes; of two, the second's above the first's."""
            scores = self._predict(X, False)
            return scores[:, 1] - scores[:, 0] if scores.shape[1] == 2 else scores

        @property
        def coef_(self) -> numpy.ndarray:
            """Weights, a row a class; of two classes, the second's above the first's."""
            return self._weights()[:, : self.n_features_in_]

        @property
        def intercept_(self) -> numpy.ndarray:
            """The weights of the constant, which is a feature like any other and so kept small, too."""
            weights = self._weights()
            return weights[:, -1] if self.fit_intercept else numpy.zeros(len(weights))

        @property
        def duality_gap_(self) -> float:
            """How far the objective can be from its optimum at most, as a share of it."""
            return self.report_["relative_gap"]

        @property
        def objective_(self) -> float:
            """The objective that was reached."""
            return self.report_["primal_objective"]

    class SVM(_Linear):
        """Multiclass support vector machine (Crammer & Singer) by its dual with shrinking.

        Minimises ``½ Σ‖w_k‖² + C Σ_i max_k(w_k·x_i + 1 - δ_ik) - w_y·x_i`` until the duality gap is ``tol`` of it. ``shrink`` is
        ``exact``, ``off``, or ``paper`` as printed by Alrajeh & Niranjan (2015).
        """

        def __init__(
            self, C=0.1, *, tol=1e-3, fit_intercept=True, max_iter=None, shrink="exact", random_state=1, n_jobs=None
        ):
            self.C, self.tol, self.fit_intercept, self.max_iter = C, tol, fit_intercept, max_iter
            self.shrink, self.random_state, self.n_jobs = shrink, random_state, n_jobs

        def _recipe(self) -> str:
            return f"--learner svm --c {self.C} --shrink {self.shrink}" + _common(self)

    class MaxEnt(_Linear):
        """Multinomial logistic regression, ``1/(2σ²) Σ‖w_k‖² - Σ log p``.

        ``solver`` is ``dual`` (exponentiated gradient with shrinking), ``lbfgs`` (with ``l1``: OWL-QN) or ``sgd``.
        """

        def __init__(
            self,
            sigma2=1.0,
            *,
            solver="dual",
            l1=None,
            tol=1e-3,
            fit_intercept=True,
            max_iter=None,
            shrink="exact",
            random_state=1,
            n_jobs=None,
        ):
            self.sigma2, self.solver, self.l1, self.tol = sigma2, solver, l1, tol
            self.fit_intercept, self.max_iter, self.shrink = fit_intercept, max_iter, shrink
            self.random_state, self.n_jobs = random_state, n_jobs

        def _recipe(self) -> str:
            if self.solver not in ("dual", "lbfgs", "sgd"):
                raise ValueError(f"solver: dual, lbfgs or sgd expected, not {self.solver!r}")
            shrink = f" --shrink {self.shrink}" if self.solver == "dual" else ""
            penalty = f" --sigma2 {self.sigma2}" if self.l1 is None else f" --l1 {self.l1}"
            return f"--learner {self.solver}{penalty}{shrink}" + _common(self)

    class NaiveBayes(_Classifier):
        """Multinomial naive Bayes: ``map``, or ``bayes`` with the parameters integrated out."""

        def __init__(self, variant="map", *, alpha=None, n_jobs=None):
            self.variant, self.alpha, self.n_jobs = variant, alpha, n_jobs

        def _recipe(self) -> str:
            if self.variant not in ("map", "bayes"):
                raise ValueError(f"variant: map or bayes expected, not {self.variant!r}")
            alpha = "" if self.alpha is None else f" --alpha {self.alpha}"
            return f"--learner nb-{self.variant}{alpha}"

        def _positive(self) -> bool:
            return True

    def _common(estimator: Any) -> str:
        recipe = ""
        if getattr(estimator, "solver", None) != "sgd":
            recipe += f" --gap {estimator.tol}"
        if estimator.max_iter is not None:
            recipe += f" --iterations {int(estimator.max_iter)}"
        if estimator.random_state is not None and getattr(estimator, "solver", None) != "lbfgs":
            recipe += f" --seed {int(estimator.random_state)}"
        return recipe

    class MutualInformation(SelectorMixin, TransformerMixin, BaseEstimator):
        """Keeps the features whose mutual information with the classes is at least ``threshold`` (normalised by default)."""

        def __init__(self, threshold=0.001, *, normalised=True):
            self.threshold, self.normalised = threshold, normalised

        def fit(self, X: Any, y: Any) -> "MutualInformation":
            """Measures all features."""
            X, y = validate_data(self, X, y, accept_sparse="csr", dtype=numpy.float64)
            check_classification_targets(y)
            self.classes_, labels = numpy.unique(y, return_inverse=True)
            matrix, labels = _matrix(X), labels.astype(numpy.int64, copy=False)
            mutual, normalised = _chiasm.mutual_information(matrix, labels, len(self.classes_))
            self.mutual_information_, self.normalised_information_ = numpy.array(mutual), numpy.array(normalised)
            return self

        def _get_support_mask(self) -> numpy.ndarray:
            check_is_fitted(self)
            measured = self.normalised_information_ if self.normalised else self.mutual_information_
            return measured >= self.threshold

        def __sklearn_tags__(self) -> Any:
            tags = super().__sklearn_tags__()
            tags.input_tags.sparse = True
            tags.target_tags.required = True
            return tags
