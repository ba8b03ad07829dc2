terraform {
  required_version = ">= 1.4"
}

variable "service" {
  type = string
}

variable "replicas" {
  type    = number
  default = 2
}

variable "components" {
  type = set(string)
}

resource "terraform_data" "password" {
  input = "${var.service}-${sha256(var.service)}"
}

resource "terraform_data" "instance" {
  count = var.replicas

  input            = "${var.service}-${count.index}"
  triggers_replace = [terraform_data.password.id]
}

resource "terraform_data" "component" {
  for_each = var.components

  input = "${var.service}/${each.value}"
}

output "instances" {
  value = terraform_data.instance[*].id
}

output "database_password" {
  value     = terraform_data.password.output
  sensitive = true
}
