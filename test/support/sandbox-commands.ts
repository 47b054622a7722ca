import { useCommandsOf } from '#place/station-commands.svelte.ts'

// Vitest runs this file before each file of unit tests. One process runs many of these files, so the station that an
// earlier file selected would otherwise change which command barcodes are valid.
useCommandsOf(null)
