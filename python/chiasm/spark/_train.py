train = None
