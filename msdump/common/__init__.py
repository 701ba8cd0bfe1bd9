"""`common` as MindSpore has it: `from msdump.common.initializer import TruncatedNormal`."""
