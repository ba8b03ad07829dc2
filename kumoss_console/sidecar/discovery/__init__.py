"""What exists in a cloud scope: the identifiers that the cloud's own inventory holds, without what nobody would import.

One module per cloud (:mod:`azure`, :mod:`gcp`, :mod:`aws`), each with ``discover(scope_id, environ)``; :mod:`scope` turns what
they say into a job's result. The rules (calls, page caps, exclusions, messages) are the reference's, so that a caller cannot
tell the two apart.
"""
