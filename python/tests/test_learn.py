import pickle

import numpy
import pytest

pytest.importorskip("sklearn")
from scipy import sparse
from sklearn.base import clone
from sklearn.datasets import make_classification
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.utils.estimator_checks import parametrize_with_checks

from chiasm.learn import SVM, MaxEnt, MutualInformation, NaiveBayes


# Weights of samples must be as good as repeated samples to seven digits, so the gap is small.
ESTIMATORS = [SVM(tol=1e-9), MaxEnt(), MaxEnt(solver="lbfgs"), NaiveBayes(), NaiveBayes("bayes"), MutualInformation()]


def known_differences(estimator):
    """The dual method ends by its gap, and near an optimum seven digits of the weights want fourteen of the gap."""
    if isinstance(estimator, MaxEnt) and estimator.solver == "dual":
        name = "check_sample_weight_equivalence_on_{}_data"
        return {name.format(kind): "ends by the duality gap" for kind in ("dense", "sparse")}
    return {}


@parametrize_with_checks(ESTIMATORS, expected_failed_checks=known_differences)
def test_as_scikit_learn_wants_it(estimator, check):
    check(estimator)


@pytest.fixture(scope="module")
def problem():
    X, y = make_classification(400, 30, n_informative=12, n_classes=3, random_state=1)
    return sparse.csr_matrix(X), y


def test_the_objective_is_scikit_learns(problem):
    X, y = problem
    ours = MaxEnt(2.0, tol=1e-6, fit_intercept=False).fit(X, y)
    theirs = LogisticRegression(C=2.0, fit_intercept=False, tol=1e-10, max_iter=5000).fit(X, y)
    # Theirs may add the same to the weights of all classes; probabilities do not see it.
    assert numpy.allclose(ours.predict_proba(X), theirs.predict_proba(X), atol=2e-3)
    assert ours.duality_gap_ <= 1e-6


def test_weights_certificates_and_pickles(problem):
    X, y = problem
    names = numpy.array(["swap", "monotone", "jump"])[y]
    for model in (SVM(0.1), MaxEnt(solver="dual"), MaxEnt(solver="lbfgs"), MaxEnt(solver="sgd", max_iter=20)):
        fitted = clone(model).fit(X, names)
        assert fitted.coef_.shape == (3, 30) and fitted.intercept_.shape == (3,)
        scores = X @ fitted.coef_.T + fitted.intercept_
        assert numpy.allclose(scores, fitted.decision_function(X), atol=1e-4)
        assert fitted.score(X, names) > 0.6
        again = pickle.loads(pickle.dumps(fitted))
        assert (again.predict(X) == fitted.predict(X)).all()
    assert SVM(0.1).fit(X, names).duality_gap_ <= 1e-3


def test_weights_of_samples(problem):
    X, y = problem
    weights = numpy.random.RandomState(0).randint(1, 4, size=len(y)).astype(float)
    repeated = numpy.repeat(numpy.arange(len(y)), weights.astype(int))
    weighted = SVM(0.1, tol=1e-6).fit(X, y, sample_weight=weights)
    written_out = SVM(0.1, tol=1e-6).fit(X[repeated], y[repeated])
    assert numpy.allclose(weighted.coef_, written_out.coef_, atol=1e-3)


def test_selection_in_a_pipeline(problem):
    X, y = problem
    X = (X > 0).astype(float)
    model = make_pipeline(MutualInformation(0.01), NaiveBayes()).fit(X, y)
    kept = model[0].get_support().sum()
    assert 0 < kept < 30 and model.score(X, y) > 0.5
