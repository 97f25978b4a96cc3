class Namespace:
    def signal(self, _name):
        return self

    def send(self, *_, **__):
        pass
