import { z } from 'zod'
import { provisionedSettings } from '#shared/bridge/pc-settings.ts'
import { plainLayout, printerEntry, printerLayout, printRoute } from '#shared/bridge/printer-views.ts'
import { mostScanners, scannerEntry } from '#shared/bridge/scanner-views.ts'
import { commandSecretForm } from '#shared/domain/commands.ts'
import { stationDraft } from '#shared/bridge/views.ts'

/** Left out: the station keeps its secret, or this PC makes one at random. */
const secretOfFile = z.string().trim().toUpperCase().regex(commandSecretForm).optional()

/** `scandesk.provision.json` (README, Provisioning). What is left out stays as it is on this PC. */
export const provisioningFile = z.object({
  ...provisionedSettings,
  /** Added to those that are here; the same address, WMS and customer again changes name and document hosts. */
  stations: z
    .array(
      stationDraft.extend({
        documentHosts: stationDraft.shape.documentHosts.default(''),
        commandSecret: secretOfFile,
      }),
    )
    .max(50)
    .optional(),
  /** In the place of those that are here; the first takes whatever no route names. */
  printers: z
    .array(printerEntry.extend({ layout: printerLayout.default(plainLayout) }))
    .min(1)
    .max(20)
    .optional(),
  /** In the place of those that are here. */
  scanners: z.array(scannerEntry).max(mostScanners).optional(),
  /** By the name of a station, in the place of its routes. */
  routes: z.record(z.string(), z.array(printRoute)).optional(),
})
export type ProvisioningFileContent = z.infer<typeof provisioningFile>
