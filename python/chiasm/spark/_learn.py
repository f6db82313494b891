examples = reorder_train = None
