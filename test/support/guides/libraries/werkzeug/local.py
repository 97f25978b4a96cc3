class LocalProxy:
    pass
