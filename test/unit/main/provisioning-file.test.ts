import { chmodSync, chownSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { pcSettings } from '#support/pc-settings.ts'
import { provisioningWords } from '#place/provisioning-words.ts'
import { findProvisioning, type RightsSystem } from '../../../electron/main/provisioning-file.ts'
import { provision } from '../../../electron/main/provisioning.ts'
import { parseSddl } from '../../../electron/main/windows-rights.ts'

let folder: string
let file: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'scandesk-provision-'))
  file = join(folder, 'scandesk.provision.json')
})
afterEach(() => rmSync(folder, { recursive: true, force: true }))

const isRoot = process.platform !== 'win32' && process.getuid?.() === 0
if (!isRoot) console.warn('set-up files of an administrator are not tried: this needs root')

const outcomeOf = (found: ReturnType<typeof findProvisioning>): string[] => {
  const view = provision(pcSettings(), found)
  return view.state === 'wrong' ? view.problems.map(provisioningWords) : [view.state]
}
const nobody = 65_534

describe.skipIf(!isRoot)('the set-up file in the fixed folder of the computer', () => {
  let etc: string
  let machine: string
  beforeEach(() => {
    // the folder is not in /tmp, because every account can write there
    etc = mkdtempSync('/var/lib/scandesk-provision-')
    chmodSync(etc, 0o755)
    mkdirSync(join(etc, 'scandesk'), { mode: 0o755 })
    machine = join(etc, 'scandesk', 'scandesk.provision.json')
    writeFileSync(machine, '{"keepDays": 30}', { mode: 0o644 })
  })
  afterEach(() => rmSync(etc, { recursive: true, force: true }))

  const refused = (place: string): string[] => [
    `Accounts other than the administrator can change “${place}”. Let the administrator own it, and let no other account write to it.`,
  ]

  it('is applied if the administrator owns the file and its folders, and no other account can write to any of them', () => {
    expect(outcomeOf(findProvisioning(null, machine))).toEqual(['applied'])
  })

  it.each<[string, () => string]>([
    ['that another account owns', () => (chownSync(machine, nobody, nobody), machine)],
    ['that a group can write', () => (chmodSync(machine, 0o664), machine)],
    ['that everybody can write', () => (chmodSync(machine, 0o646), machine)],
    [
      'in a folder of another account',
      () => (chownSync(join(etc, 'scandesk'), nobody, nobody), join(etc, 'scandesk')),
    ],
    ['in a folder that everybody can write', () => (chmodSync(etc, 0o1777), etc)],
  ])(
    'is refused if it is a file %s; the refusal contains the path that other accounts can change',
    (_, open) => {
      const place = open()
      expect(outcomeOf(findProvisioning(null, machine))).toEqual(refused(place))
    },
  )

  it('is refused if it is a link to a file in a folder that other accounts can change', () => {
    writeFileSync(file, '{"keepDays": 30}')
    rmSync(machine)
    symlinkSync(file, machine)
    expect(outcomeOf(findProvisioning(null, machine))).toEqual(refused('/tmp'))
  })

  it('is refused if other accounts got the right to change it after it was applied; the settings that it applied stay', () => {
    const settings = pcSettings()
    provision(settings, findProvisioning(null, machine))
    chmodSync(machine, 0o666)
    expect(provision(settings, findProvisioning(null, machine))).toMatchObject({ state: 'wrong' })
    expect(settings.read()).toMatchObject({ keepDays: 30, refused: { file: machine, isAcknowledged: false } })
  })
})

describe.skipIf(process.platform === 'win32')('a set-up file named on the command line', () => {
  const notOwn =
    'Another account owns the file or can change it. Let the account that starts Scandesk, or the administrator, own it, and let no other account write to it.'
  beforeEach(() => writeFileSync(file, '{"keepDays": 30}', { mode: 0o644 }))

  it('is applied if the account that starts the program owns it, even in a folder that everybody can change', () => {
    chmodSync(folder, 0o777)
    expect(outcomeOf(findProvisioning(file))).toEqual(['applied'])
  })

  it.each([0o666, 0o664])(
    'is refused if a group or everybody can write to it: mode %i, in decimal digits',
    (mode) => {
      chmodSync(file, mode)
      expect(outcomeOf(findProvisioning(file))).toEqual([notOwn])
    },
  )

  it.skipIf(!isRoot)(
    'is refused if its owner is neither an administrator nor the account that starts the program',
    () => {
      chownSync(file, nobody, nobody)
      expect(outcomeOf(findProvisioning(file))).toEqual([notOwn])
    },
  )
})

// these tests run on any system, because each test supplies the rights that Windows would report for the files
describe('a set-up file on Windows', () => {
  const users = '(A;;0x1200a9;;;BU)'
  const ofAdministrator = `O:BAG:SYD:(A;;FA;;;SY)(A;;FA;;;BA)${users}`
  const me = 'S-1-5-21-1-2-3-1001'
  /**
   * Returns a simulated Windows that reports these security descriptors: `last` for the last requested path, `above`
   * for the path before the last one, and `ofAdministrator` for all other paths.
   */
  const windows = (last: string, above = ofAdministrator): RightsSystem => ({
    platform: 'win32',
    askRights: (paths) => ({
      user: me,
      rights: paths.map((_, at) =>
        parseSddl(at === paths.length - 1 ? last : at === paths.length - 2 ? above : ofAdministrator),
      ),
    }),
  })
  const find = (asked: boolean, system: RightsSystem): string => {
    writeFileSync(file, '{"keepDays": 30}')
    const found = findProvisioning(asked ? file : null, file, system)
    return found === null ? 'none' : 'cause' in found ? found.cause : 'taken'
  }

  it('is applied only if no account except administrators can change it or its folders', () => {
    expect(find(false, windows(ofAdministrator))).toBe('taken')
    expect(find(false, windows(`${ofAdministrator}(A;;0x1301bf;;;AU)`))).toBe('not_protected')
    expect(find(false, windows(ofAdministrator, ofAdministrator.replace('O:BA', `O:${me}`)))).toBe(
      'not_protected',
    )
    expect(find(false, windows(ofAdministrator.replace('O:BA', `O:${me}`)))).toBe('not_protected')
  })

  it('is applied if it was named on the command line and belongs to the account that starts the program', () => {
    const mine = `O:${me}G:${me}D:(A;;FA;;;${me})${users}`
    expect(find(true, windows(mine))).toBe('taken')
    expect(find(true, windows(mine.replaceAll(me, `${me}9`)))).toBe('not_own')
  })

  it('is refused if Windows does not return its rights', () => {
    const silent: RightsSystem = { platform: 'win32', askRights: () => null }
    expect([find(false, silent), find(true, silent)]).toEqual(['rights_unknown', 'rights_unknown'])
    expect(find(false, windows('odd'))).toBe('rights_unknown')
  })
})
