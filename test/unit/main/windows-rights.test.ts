import { describe, expect, it } from 'vitest'
import {
  type FileRights,
  isFileOf,
  isFolderOfAdministrators,
  parseRights,
  parseSddl,
  readersBeside,
} from '../../../electron/main/windows-rights.ts'

// These descriptors have the form in which Get-Acl of Windows 10 and 11 writes them. They were not tried on a Windows
// computer.

const user = 'S-1-5-21-1004336348-1177238915-682003330-1001'
const installer = 'S-1-5-80-956008885-3418522649-1831038044-1853292631-2271478464'
const group = `G:S-1-5-21-1004336348-1177238915-682003330-513`
/** %APPDATA%\Scandesk of a usual account. */
const profile = `O:${user}${group}D:(A;OICIID;FA;;;SY)(A;OICIID;FA;;;BA)(A;OICIID;FA;;;${user})`
/** The rights of C:\ProgramData. */
const programData =
  'O:SYG:SYD:PAI(A;OICIIO;GA;;;CO)(A;OICI;FA;;;SY)(A;OICI;FA;;;BA)(A;CI;DCLCRPCR;;;BU)(A;OICI;0x1200a9;;;BU)'
/** A folder in C:\ProgramData and a file in this folder, both created by an administrator. */
const ofAdministrator =
  'O:BAG:SYD:AI(A;OICIID;FA;;;SY)(A;OICIID;FA;;;BA)(A;OICIIOID;GA;;;CO)(A;OICIID;0x1200a9;;;BU)(A;CIID;DCLCRPCR;;;BU)'
const fileOfAdministrator = 'O:BAG:SYD:AI(A;ID;FA;;;SY)(A;ID;FA;;;BA)(A;ID;0x1200a9;;;BU)'
/** A folder in C:\ProgramData, created by a usual account, which has full rights as the creator. */
const ofUser = `O:${user}${group}D:AI(A;OICIID;FA;;;SY)(A;OICIID;FA;;;BA)(A;ID;FA;;;${user})(A;OICIIOID;GA;;;CO)(A;OICIID;0x1200a9;;;BU)(A;CIID;DCLCRPCR;;;BU)`
/** The rights of C:\. */
const drive = `O:${installer}G:${installer}D:PAI(A;OICI;FA;;;BA)(A;OICI;FA;;;SY)(A;OICI;0x1200a9;;;BU)(A;OICIIO;SDGXGWGR;;;AU)(A;;LC;;;AU)`
/** A folder that a user created below C:\. */
const onTheDrive = `O:${user}${group}D:AI(A;OICIID;FA;;;BA)(A;OICIID;FA;;;SY)(A;OICIID;0x1200a9;;;BU)(A;ID;0x1301bf;;;AU)(A;OICIIOID;SDGXGWGR;;;AU)`

function read(text: string): FileRights {
  const rights = parseSddl(text)
  if (!rights) throw new Error(`cannot be read: ${text}`)
  return rights
}

describe('a security descriptor of Windows', () => {
  it('is parsed into the owner and the granted rights, without inherit-only and denied rights', () => {
    expect(
      read(
        `O:BAG:SYD:AI(D;;FA;;;BG)(A;OICIIO;GA;;;CO)(A;OICI;0x1200a9;;;BU)(A;;CCDC;;;AU)S:AI(AU;SAFA;FA;;;WD)`,
      ),
    ).toEqual({
      owner: 'BA',
      grants: [
        { account: 'BU', mask: 0x12_00a9 },
        { account: 'AU', mask: 0x3 },
      ],
    })
  })

  it('without an access control list lets every account read the file', () => {
    for (const text of [`O:${user}${group}`, `O:${user}D:NO_ACCESS_CONTROL`]) {
      expect(isFileOf(read(text), user)).toBe(false)
      expect(readersBeside(read(text), user)).toEqual(['WD'])
    }
  })

  it.each([
    '',
    'no descriptor',
    'D:(A;;FA;;;BA)',
    'O:BAD:(A;;ZZ;;;BU)',
    'O:BAD:(XA;;FX;;;WD;(@User.Title=="PM"))',
  ])('is parsed as null if it is malformed: %s', (text) => {
    expect(parseSddl(text)).toBeNull()
  })

  it('is read for each path from the output of PowerShell, which also contains the account that runs Scandesk', () => {
    const answer = JSON.stringify({ user, sddl: [profile, 'odd'] })
    expect(parseRights(answer, 2)).toEqual({ user, rights: [read(profile), null] })
    for (const [text, paths] of [
      [answer, 1],
      ['{}', 1],
      ['Get-Acl : Access is denied', 1],
    ] as const)
      expect(parseRights(text, paths)).toBeNull()
  })
})

describe('the readers of a data directory', () => {
  it('in the profile of the account that runs Scandesk are only this account and administrators', () => {
    expect(readersBeside(read(profile), user)).toEqual([])
  })

  it('include all users if the directory was created below C:\\ or below ProgramData', () => {
    expect(readersBeside(read(onTheDrive), user)).toEqual(['BU', 'AU'])
    expect(readersBeside(read(ofUser), user)).toEqual(['BU'])
  })

  it('include a foreign account with read rights, but no app container', () => {
    const other = user.replace(/1$/, '2')
    const text = `${profile}(A;OICI;FR;;;${other})(A;OICI;GR;;;S-1-5-11)(A;OICI;FR;;;AC)(A;OICI;FR;;;S-1-15-2-2)`
    expect(readersBeside(read(text), user)).toEqual([other, 'S-1-5-11'])
  })
})

describe('the rights to change a provisioning file', () => {
  it('belong to administrators alone if an administrator created the file and its folder in ProgramData', () => {
    expect(isFileOf(read(fileOfAdministrator), null)).toBe(true)
    for (const folder of [drive, programData, ofAdministrator])
      expect(isFolderOfAdministrators(read(folder))).toBe(true)
  })

  it('do not belong to administrators alone if a usual account created the file or its folder', () => {
    expect(isFileOf(read(ofUser), null)).toBe(false)
    expect(isFolderOfAdministrators(read(ofUser))).toBe(false)
    expect(isFolderOfAdministrators(read(onTheDrive))).toBe(false)
  })

  it.each(['0x2', 'GW', 'GA', 'FW', 'SD', 'WD', 'WO', '0x1301bf'])(
    'do not belong to administrators alone if users have the right %s on the file',
    (rights) => {
      expect(isFileOf(read(`${fileOfAdministrator}(A;;${rights};;;BU)`), null)).toBe(false)
    },
  )

  it.each([
    ['DT', false],
    ['SD', false],
    ['FA', false],
    ['DCLC', true],
  ])('belong to administrators alone if users have the right %s on the folder: %s', (rights, isTheirs) => {
    expect(isFolderOfAdministrators(read(`${ofAdministrator}(A;;${rights};;;BU)`))).toBe(isTheirs)
  })

  it('belong to the account that owns the file and to no different account', () => {
    const own = `O:${user}${group}D:(A;;FA;;;SY)(A;;FA;;;BA)(A;;FA;;;${user})`
    expect(isFileOf(read(own), user)).toBe(true)
    expect(isFileOf(read(own), null)).toBe(false)
    expect(isFileOf(read(own.replaceAll(user, `${user}9`)), user)).toBe(false)
  })
})
