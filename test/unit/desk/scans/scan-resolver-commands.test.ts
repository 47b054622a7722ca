import { describe, expect, it } from 'vitest'
import { ScanResolver, type ScanResolverParts } from '#desk/scans/scan-resolver.ts'
import { commandBarcode, commands, namedBarcode, namedCommands } from '#shared/domain/commands.ts'

let secret: string | null = null

/** A part of the desk that fails the test if the resolution of a scan reads it. */
const untouchable = new Proxy(
  {},
  {
    get() {
      throw new Error('a command was looked up')
    },
  },
)
const states = {
  indexView: () => ({ state: null, isWhole: true, gapSince: null }),
  hasUnreadable: () => false,
  catalogue: { state: () => ({ complete: false, asOf: null }) },
}
const parts: Record<string, unknown> = {
  shipments: untouchable,
  articles: untouchable,
  locations: untouchable,
  modifications: untouchable,
  labels: untouchable,
  printers: untouchable,
  labelIndex: untouchable,
  commandSecret: () => secret,
  takeLabel: untouchable,
  refreshLabels: () => {
    throw new Error('labels were looked for')
  },
  ...states,
}
const resolver = new ScanResolver(parts as unknown as ScanResolverParts)

async function kindOf(raw: string, expect: 'anything' | 'stock'): Promise<string> {
  const at = '2026-11-21T14:07:00.000Z'
  const { outcome } = await resolver.resolve({ scanId: 's', raw, at, expect, learns: true })
  return outcome.kind === 'command' ? outcome.command : outcome.kind
}

describe.each(['anything', 'stock'] as const)('ScanResolver where %s is expected', (expected) => {
  it('resolves a command without a look-up, even if a symbology identifier precedes it', async () => {
    for (const command of commands) {
      expect(await kindOf(commandBarcode(command), expected)).toBe(command)
      expect(await kindOf(`]C0${commandBarcode(command)}`, expected)).toBe(command)
    }
    for (const name of namedCommands) expect(await kindOf(namedBarcode(name, '4711AB'), expected)).toBe(name)
  })

  it('returns unknown for a misread command, without a look-up', async () => {
    const [named] = namedCommands
    const text = namedBarcode(named, '4711AB')
    const wrong = text.slice(0, -1) + (text.endsWith('0') ? '1' : '0')
    expect(await kindOf(wrong, expected)).toBe('unknown')
    expect(await kindOf('SDCMDNONSENSE', expected)).toBe('unknown')
  })

  it('accepts only commands with the secret of its station, if the station has a secret', async () => {
    secret = '7K2QX'
    try {
      for (const command of commands) {
        expect(await kindOf(commandBarcode(command, '7K2QX'), expected)).toBe(command)
        expect(await kindOf(commandBarcode(command), expected)).toBe('unknown')
        expect(await kindOf(commandBarcode(command, '7K2QY'), expected)).toBe('unknown')
      }
    } finally {
      secret = null
    }
  })
})
