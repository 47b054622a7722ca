import type { Logger } from '#kit/logger.ts'
import { fail, ok } from '#shared/errors/result.ts'
import type { DeskHost } from '../desk-host.ts'
import { readLocationFileInThread } from '../location-file.ts'
import { bindDomain } from './bind.ts'

export function bindLocation(host: DeskHost, logger: Logger): void {
  // each file is read in a thread of its own
  let isImporting = false
  bindDomain(
    'location',
    {
      list: async () => ok((await host.desk()).locations.list()),
      import: async ({ text }) => {
        if (isImporting) return fail('location.import_under_way')
        isImporting = true
        try {
          const file = await readLocationFileInThread(text)
          if (file.kind === 'too_large') return fail('location.file_too_large')
          if (file.kind === 'unreadable') return fail('location.file_unreadable')
          return await (await host.desk()).locations.import(file.table)
        } finally {
          isImporting = false
        }
      },
      name: async ({ id, code }) => (await host.desk()).locations.name(id, code),
      forget: async ({ id }) => ok((await host.desk()).locations.forget(id)),
      types: async () => ok((await host.desk()).catalogue.locationTypes()),
    },
    logger,
  )
}
