# Mounted into the sidecar, readable by uid 10001, and named by IAC_BACKEND_CONFIG. Nobody checks the path at start: a wrong one
# shows as "The file ... could not be read" in the stderr of the next init job.
#
# The repository must still declare the type of its backend: backend "s3" {}. Without any backend block an init ends with
# exit code 0 and a warning, and state stays in the workspace.
#
# No key here. This file serves every repository, and one key would make all of them share, and overwrite, one state.
bucket       = "acme-terraform-state"
region       = "eu-west-1"
encrypt      = true
use_lockfile = true
