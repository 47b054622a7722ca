import { execFile, execFileSync } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { z } from 'zod'

/**
 * The rights to a file on Windows, from its security descriptor in SDDL (Microsoft, "Security Descriptor String
 * Format"). SDDL identifies accounts by numbers, which do not depend on the language of the system. This code has never
 * run on Windows: the tests use descriptors in the format of Get-Acl.
 */
export interface FileRights {
  /** The owner: a SID, or the two letters of SDDL for a well-known account. */
  readonly owner: string
  /**
   * The granted rights; `mask`: bits of ACCESS_MASK. Entries that deny rights are ignored, so the result may contain
   * too many rights, but never too few.
   */
  readonly grants: readonly { readonly account: string; readonly mask: number }[]
}

export interface AskedRights {
  /** The SID of the account that runs this program. */
  readonly user: string
  /** The rights of each path, in the order of the paths; null: the output of Windows cannot be parsed. */
  readonly rights: readonly (FileRights | null)[]
}

/**
 * Accounts that have all rights on every computer. CO and OW stand for the owner of the file, who is checked
 * separately.
 */
const administrators: ReadonlySet<string> = new Set([
  ...['SY', 'BA', 'LA', 'CO', 'OW', 'S-1-5-18', 'S-1-5-32-544', 'S-1-3-0', 'S-1-3-4'],
  // the account TrustedInstaller
  'S-1-5-80-956008885-3418522649-1831038044-1853292631-2271478464',
])

const generic = { GA: 0x1000_0000, GX: 0x2000_0000, GW: 0x4000_0000, GR: 0x8000_0000 } as const
const letters: Readonly<Record<string, number>> = {
  ...generic,
  ...{ FA: 0x1f_01ff, FR: 0x12_0089, FW: 0x12_0116, FX: 0x12_00a0 },
  ...{ CC: 0x1, DC: 0x2, LC: 0x4, SW: 0x8, RP: 0x10, WP: 0x20, DT: 0x40, LO: 0x80, CR: 0x100 },
  ...{ SD: 0x1_0000, RC: 0x2_0000, WD: 0x4_0000, WO: 0x8_0000 },
}
/** The right to read the data of a file, or the names in a folder. */
const reading = 0x1 | generic.GR | generic.GA
/** The right to delete the file, or to give oneself any other right to it. */
const taking = 0x1_0000 | 0x4_0000 | 0x8_0000 | generic.GA
/** The right to change the data of a file. */
const writing = 0x2 | 0x4 | generic.GW | taking
/**
 * The right to replace an existing file or folder in this folder. The right to add new files or folders is not checked,
 * because it is harmless.
 */
const replacing = 0x40 | taking

const descriptor = /^(?:O:([\w-]+?))?(?:G:([\w-]+?))?(?:D:([A-Z_]*)((?:\([^()]*\))*))?(?:S:.*)?$/s

/**
 * Parses a descriptor. Returns null if the text is not a descriptor, or if it contains conditions, which are not
 * supported.
 */
export function parseSddl(text: string): FileRights | null {
  const [, owner, , flags, entries] = descriptor.exec(text.trim()) ?? []
  if (owner === undefined) return null
  // without an access control list all accounts have all rights
  if (flags === undefined || flags.includes('NO_ACCESS_CONTROL'))
    return { owner, grants: [{ account: 'WD', mask: generic.GA }] }
  const grants = [...(entries ?? '').matchAll(/\(([^()]*)\)/g)].flatMap(([, entry = '']) => {
    const [type = '', inheritance = '', rights = '', , , account = ''] = entry.split(';')
    // an entry with the flag IO is ignored, because it applies only to the children of a folder and not to the folder
    // itself
    const isOnlyHandedDown = /^(?:\w\w)*IO/.test(inheritance)
    return type !== 'A' || isOnlyHandedDown ? [] : [{ account, mask: maskOf(rights) }]
  })
  return grants.some(({ mask }) => Number.isNaN(mask)) ? null : { owner, grants }
}

function maskOf(rights: string): number {
  if (/^0x[\da-f]+$/i.test(rights)) return Number(rights)
  const parts = rights.match(/../g) ?? []
  // combines the bits with OR, because a sum would count a repeated bit twice
  return parts.reduce((mask, part) => (part in letters ? mask | (letters[part] ?? 0) : Number.NaN), 0)
}

/** Whether the file belongs to an administrator or `user`, and no other account can change its content. */
export function isFileOf(rights: FileRights, user: string | null): boolean {
  return isOwned(rights, user) && othersWho(rights, writing, user).length === 0
}

/** Whether the folder belongs to an administrator, and no other account can replace its content. */
export function isFolderOfAdministrators(rights: FileRights): boolean {
  return isOwned(rights, null) && othersWho(rights, replacing, null).length === 0
}

/** Returns the accounts that can read the file, except administrators, `user` and app containers. */
export function readersBeside(rights: FileRights, user: string): string[] {
  const isContainer = (account: string): boolean => account === 'AC' || account.startsWith('S-1-15-')
  return othersWho(rights, reading, user).filter((account) => !isContainer(account))
}

function isOwned({ owner }: FileRights, user: string | null): boolean {
  return owner === user || administrators.has(owner)
}

function othersWho({ grants }: FileRights, mask: number, user: string | null): string[] {
  const others = grants.filter(
    (grant) => (grant.mask & mask) !== 0 && grant.account !== user && !administrators.has(grant.account),
  )
  return [...new Set(others.map(({ account }) => account))]
}

const question = `
$ErrorActionPreference = 'Stop'
[Console]::OutputEncoding = [System.Text.UTF8Encoding]::new($false)
$paths = ConvertFrom-Json $env:SCANDESK_PATHS
ConvertTo-Json -Compress -InputObject @{
  user = [System.Security.Principal.WindowsIdentity]::GetCurrent().User.Value
  sddl = @($paths | ForEach-Object { (Get-Acl -LiteralPath $_).Sddl })
}
`
const reply = z.object({ user: z.string(), sddl: z.array(z.string()) })
const askMs = 20_000

/**
 * Parses the output of PowerShell about a number of paths (`paths`). Returns null if the output does not contain the
 * rights of each path.
 */
export function parseRights(text: string, paths: number): AskedRights | null {
  try {
    const { user, sddl } = reply.parse(JSON.parse(text))
    return sddl.length === paths ? { user, rights: sddl.map(parseSddl) } : null
  } catch {
    return null
  }
}

type Program = [
  string,
  string[],
  { timeout: number; windowsHide: boolean; env: NodeJS.ProcessEnv; encoding: 'utf8' },
]

function program(paths: readonly string[]): Program {
  const system = process.env['SystemRoot'] ?? 'C:\\Windows'
  const powershell = join(system, 'System32', 'WindowsPowerShell', 'v1.0', 'powershell.exe')
  const args = ['-NoLogo', '-NoProfile', '-NonInteractive', '-Command', question]
  const env = { ...process.env, SCANDESK_PATHS: JSON.stringify(paths) }
  return [powershell, args, { timeout: askMs, windowsHide: true, env, encoding: 'utf8' }]
}

/** Reads from Windows which accounts have which rights to the paths; null if this fails. Never rejects. */
export async function askRights(paths: readonly string[]): Promise<AskedRights | null> {
  const answer = await promisify(execFile)(...program(paths)).catch(() => null)
  return answer && parseRights(answer.stdout, paths.length)
}

/** Like `askRights`, but synchronous. Never throws. */
export function askRightsNow(paths: readonly string[]): AskedRights | null {
  try {
    return parseRights(execFileSync(...program(paths)), paths.length)
  } catch {
    return null
  }
}
