import { createHash } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Vault } from '#desk/ports/store.ts'
import { writeDurably, makeFolder } from '#kit/durable-files.ts'
import { systemFailure } from './sqlite-failure.ts'

/** Label PDFs at `<folder>/<sha256>.pdf`. */
export function createVault(folder: string): Vault {
  const read = async (hash: string): Promise<Uint8Array | null> => {
    try {
      const document = await readFile(join(folder, `${hash}.pdf`))
      return sha256(document) === hash ? document : null
    } catch (error) {
      // too many open files or a failing disk pass; only a file that is not there is gone for good
      if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return null
      throw systemFailure(error)
    }
  }
  return {
    read,
    async put(document) {
      const hash = sha256(document)
      if (await read(hash)) return hash
      try {
        makeFolder(folder)
        await writeDurably(join(folder, `${hash}.pdf`), document)
      } catch (error) {
        throw systemFailure(error)
      }
      return hash
    },
  }
}

function sha256(bytes: Uint8Array): string {
  return createHash('sha256').update(bytes).digest('hex')
}
