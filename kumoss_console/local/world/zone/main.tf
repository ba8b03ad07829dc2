terraform {
  required_version = ">= 1.4"
}

variable "zone" {
  type = string
}

variable "records" {
  type = map(string)
}

resource "terraform_data" "zone" {
  input = var.zone
}

resource "terraform_data" "record" {
  for_each = var.records

  input = {
    zone  = terraform_data.zone.id
    name  = "${each.key}.${var.zone}"
    value = each.value
  }
}

output "records" {
  value = [for record in terraform_data.record : record.output.name]
}
