# SPDX-License-Identifier: Apache-2.0
"""Results of actors, with a limit of time; and hand-overs, which Ray 2.60 loses now and then."""
import gpustream
import ray
import stacks

LIMIT = 90.0  # seconds; above the limit for receives that conftest.py sets for Ray


def get(reference, limit=LIMIT):
    """After a timeout the test's output says where the actors stand, and which transfers Ray has not begun."""
    try:
        return ray.get(reference, timeout=limit)
    except gpustream.TimeLimitError:
        raise
    except TimeoutError:  # of Ray
        print("not begun:", dict(ray._private.worker.global_worker.rdt_manager._queued_transfers))
        print(stacks.of_actors())
        raise


def _lost_by_ray(error):
    """Ray's own limit ended the task, and the transport may never have been called."""
    return isinstance(error.cause, TimeoutError) and not isinstance(error.cause, gpustream.TimeLimitError)


def take_all(destination, arguments):
    """Calls take() of the destination with each of the arguments, a tuple by name. Returns the results by name.

    What Ray has lost of it, so that the transport was never called, once more: under load that is one in some hundreds, and the task
    fails by Ray's limit. A call of the transport that comes to nothing is a failure of the test."""
    missing, results = dict(arguments), {}
    for _ in range(2):
        before = get(destination.received.remote())
        tasks = {name: destination.take.remote(*given) for name, given in missing.items()}
        errors = []
        for name, task in tasks.items():
            try:
                results[name] = get(task)
                del missing[name]
            except ray.exceptions.RayTaskError as error:
                if not _lost_by_ray(error):
                    raise
                errors.append(error)
        if not errors:
            return results
        if get(destination.received.remote()) - before != len(tasks) - len(errors):
            raise errors[0]
        print("Ray lost receives:", list(missing))
    raise AssertionError("Ray lost receives twice in a row")


def take(destination, *given):
    return take_all(destination, {"it": given})["it"]
