terraform {
  required_version = ">= 1.4"
}

variable "replicas" {
  type = number
}

resource "terraform_data" "ledger" {
  input = "ledger with ${var.replicas} replicas"

  lifecycle {
    precondition {
      condition     = var.replicas >= 3
      error_message = "The ledger needs at least 3 replicas, ${var.replicas} are set."
    }
  }
}
