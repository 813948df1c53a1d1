"""Connect to the grader's loopback ports, to abstract sockets and to the world.

earns: nothing
shows: tried
report: entries differ
"""
# %% first cell
import socket

targets = [(socket.AF_INET, ("127.0.0.1", int(__PORT__))), (socket.AF_UNIX, "\0" + __ABSTRACT__), (socket.AF_INET, ("192.0.2.1", 80)),
           (socket.AF_UNIX, "/run/docker.sock"), (socket.AF_UNIX, "/run/dbus/system_bus_socket")]
for family, address in targets:
    try:
        with socket.socket(family) as one:
            one.settimeout(0.1)
            one.connect(address)
            one.send(b"reached")
            print("LE" "AKED", family)
    except OSError:
        pass
print("tried")
