"""What an engine shows as JSON, without the values that are marked sensitive."""

from kumoss_console.model.masking.shown import MEMBER, MaskedShow, mask_shown

__all__ = ["MEMBER", "MaskedShow", "mask_shown"]
