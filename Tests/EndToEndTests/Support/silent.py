"""Accepts connections at a free port, which it prints, and never answers."""

import socket
import sys

listener = socket.create_server(("127.0.0.1", 0))
print("PORT", listener.getsockname()[1])
sys.stdin.read()
