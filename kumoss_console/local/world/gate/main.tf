# A rollout that waits until somebody writes to its gate, a named pipe. Until then the engine holds the state lock.
terraform {
  required_version = ">= 1.4"
}

variable "service" {
  type = string
}

variable "release" {
  type = number
}

variable "gate" {
  type    = string
  default = ""
}

resource "terraform_data" "cluster" {
  input = var.service
}

resource "terraform_data" "migration" {
  input = "${var.service} schema ${var.release}"
}

resource "terraform_data" "rollout" {
  count = var.gate == "" ? 0 : 1

  input = "${var.service} release ${var.release}"

  provisioner "local-exec" {
    command = "read -r line < \"$GATE\""
    environment = {
      GATE = var.gate
    }
  }
}
