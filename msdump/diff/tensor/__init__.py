"""Two tensors compared: metrics that merge, from blocks the cache holds."""
