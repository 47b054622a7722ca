import { expect, it } from 'vitest'
import { reportReaders } from '../../../electron/main/data-folder.ts'
import { type AskedRights, parseSddl } from '../../../electron/main/windows-rights.ts'

// on paper: what Windows says of the folder is made up here, and nothing ran there

const user = 'S-1-5-21-1-2-3-1001'

async function logged(sddl: string | null): Promise<unknown[]> {
  const lines: unknown[] = []
  const asked: AskedRights | null = sddl === null ? null : { user, rights: [parseSddl(sddl)] }
  const logger = { warn: (what: unknown): void => void lines.push(what) }
  await reportReaders('C:\\Data', logger, () => Promise.resolve(asked))
  return lines
}

it('the log names other accounts that Windows lets read the data of the desk, and is silent where there are none', async () => {
  const own = `O:${user}D:(A;OICIID;FA;;;SY)(A;OICIID;FA;;;BA)(A;OICIID;FA;;;${user})`
  expect(await logged(own)).toEqual([])
  expect(await logged(`${own}(A;OICIID;0x1200a9;;;BU)(A;ID;0x1301bf;;;AU)`)).toEqual([
    { dataDir: 'C:\\Data', readers: ['BU', 'AU'] },
  ])
})

it('the log says that Windows did not say who may read the data', async () => {
  expect([await logged(null), await logged('odd')]).toEqual([
    [{ dataDir: 'C:\\Data' }],
    [{ dataDir: 'C:\\Data' }],
  ])
})
