terraform {
  required_version = ">= 1.4"
}

variable "region" {
  type = string
}

variable "cidr" {
  type = string
}

variable "subnets" {
  type = map(number)
}

variable "peers" {
  type    = list(string)
  default = []
}

resource "terraform_data" "network" {
  input = {
    region = var.region
    cidr   = var.cidr
  }
}

resource "terraform_data" "subnet" {
  for_each = var.subnets

  input = {
    network = terraform_data.network.id
    cidr    = cidrsubnet(var.cidr, 8, each.value)
  }
}

module "peering" {
  source   = "./modules/peering"
  for_each = toset(var.peers)

  network = terraform_data.network.id
  peer    = each.value
}

output "network_id" {
  value = terraform_data.network.id
}

output "subnets" {
  value = { for name, subnet in terraform_data.subnet : name => subnet.output.cidr }
}
