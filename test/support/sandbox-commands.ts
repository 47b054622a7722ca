import { useCommandsOf } from '#place/station-commands.svelte.ts'

// Vitest runs this file before each file of unit tests. One process runs many of these files. Without this reset, the
// station that an earlier file selected would determine which command barcodes are valid.
useCommandsOf(null)
