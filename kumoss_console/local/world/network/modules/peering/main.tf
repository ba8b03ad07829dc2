variable "network" {
  type = string
}

variable "peer" {
  type = string
}

resource "terraform_data" "request" {
  input = "${var.network} -> ${var.peer}"
}

resource "terraform_data" "accepted" {
  input = terraform_data.request.id
}
