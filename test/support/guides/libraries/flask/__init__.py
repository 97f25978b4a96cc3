"""The part of Flask that authlib uses: one visitor, whose session is a dictionary."""


class Flask:
    def __init__(self):
        self.config = {}

    def get(self, _path):
        return lambda view: view


class Globals:
    def get(self, name):
        return getattr(self, name, None)


class Request:
    method = "GET"
    args = {}


class Redirect:
    def __init__(self, location):
        self.location = location


redirect = Redirect
session = {}
g = Globals()
request = Request()
current_app = None
