import { spawnSync } from 'node:child_process'
import { cpSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { StorePort } from '#desk/ports/store.ts'
import { openCatalogueFiles } from '#local/catalogue/catalogue-files.ts'
import { cataloguePaths } from '#local/catalogue/catalogue-disk.ts'
import { openStore } from '#local/open-store.ts'
import { goodsVariant } from '#support/goods-service.ts'
import { randomFrom } from '#support/random.ts'
import { scriptedShipment } from '#support/scripted-records.ts'
import { type Damage, damages } from './storage/damage.ts'
import { countLost, doDeed, isDone, upTo } from './storage/deeds.ts'
import type { Suite } from './suite-report.ts'
import { scopeKeyOf } from '../support/ids.ts'

const writer = join(import.meta.dirname, 'storage/writer-child.ts')
const deeds = 120
const variants = 200
const shipments = 60

/**
 * A test case: which file is damaged, whether the desk was closed or killed before the damage, and the kind of damage.
 */
interface Case {
  readonly target: 'desk.db' | 'desk.db-wal' | 'recent.db' | 'catalogue'
  readonly life: 'closed' | 'killed'
  readonly damage: Damage
}

const anyDamage = Object.keys(damages).filter((name): name is Damage => name in damages)
/**
 * The kinds of damage that the suite applies to the desk.db of a killed desk. The kind `byte` is not one of them,
 * because a changed byte may be part of a text, where no check can detect it.
 */
const visibleDamage = anyDamage.filter((damage) => damage !== 'byte')

const precious: readonly Case[] = [
  ...anyDamage.map((damage) => ({ target: 'desk.db', life: 'closed', damage }) as const),
  ...visibleDamage.map((damage) => ({ target: 'desk.db', life: 'killed', damage }) as const),
  ...anyDamage.map((damage) => ({ target: 'desk.db-wal', life: 'killed', damage }) as const),
]
const caches: readonly Case[] = [
  ...anyDamage.map((damage) => ({ target: 'recent.db', life: 'closed', damage }) as const),
  ...anyDamage.map((damage) => ({ target: 'catalogue', life: 'closed', damage }) as const),
]

/**
 * Damages one database file at a time: overwrites a page, changes a byte, or truncates, replaces or removes the file.
 * After damage in desk.db or its log, the desk is opened twice, and no acknowledged data may be missing. recent.db and
 * the catalogue are damaged while the desk is closed or open. After such damage, desk.db must need no restoration, no
 * acknowledged data may be missing, and the desk must continue to store data.
 */
export const pageFlips: Suite = async ({ count, seed }) => {
  const files = count ?? 200
  const random = randomFrom(seed)
  const templates = await makeTemplates()
  const figures = {
    files: 0,
    lost: 0,
    crashes: 0,
    unseen: 0,
    restored: 0,
    fromJournalAlone: 0,
    cachesPutAside: 0,
    deskTouched: 0,
  }
  const findings: string[] = []
  try {
    for (let n = 0; n < 2 * files; n++) {
      const list = n < files ? precious : caches
      const one = list[Math.floor(random() * list.length)]
      if (!one) continue
      const folder = mkdtempSync(join(tmpdir(), 'scandesk-flip-'))
      try {
        cpSync(templates[one.life], folder, { recursive: true })
        figures.files++
        const found = n < files ? await tryPrecious(one, folder, random) : await tryCache(one, folder, random)
        for (const name of found) figures[name]++
        if (found.some((name) => isWrong(name))) findings.push(`${n} ${JSON.stringify(one)} ${found.join()}`)
      } catch (error) {
        figures.crashes++
        findings.push(`${n} ${JSON.stringify(one)} ${String(error)}`)
      } finally {
        rmSync(folder, { recursive: true, force: true })
      }
    }
  } finally {
    for (const folder of Object.values(templates)) rmSync(folder, { recursive: true, force: true })
  }
  const { lost, crashes, unseen, deskTouched, restored, cachesPutAside } = figures
  const isKept = lost + crashes + unseen + deskTouched === 0
  const passed = isKept && restored > 0 && cachesPutAside > 0
  return { suite: 'page-flips', passed, figures: { ...figures, seed, ...(!isKept && { findings }) } }
}

type Figure = 'lost' | 'unseen' | 'restored' | 'fromJournalAlone' | 'cachesPutAside' | 'deskTouched'

function isWrong(name: Figure): boolean {
  return name === 'lost' || name === 'unseen' || name === 'deskTouched'
}

async function tryPrecious(one: Case, folder: string, random: () => number): Promise<Figure[]> {
  const file = join(folder, one.target)
  const before = readFileSync(file)
  damages[one.damage](file, random)
  const isSame = existsSync(file) && before.equals(readFileSync(file))
  const found: Figure[] = []
  const store = await openStore(folder, scopeKeyOf('scope'), () => undefined)
  const { recovery } = await store.storage.facts()
  if (recovery) found.push('restored')
  if (recovery?.backupAt === null) found.push('fromJournalAlone')
  // After a desk was closed, every changed byte in its desk.db must be detected.
  if (one.life === 'closed' && !isSame && !recovery) found.push('unseen')
  if (recovery && recovery.putAside !== '' && !existsSync(join(folder, recovery.putAside))) found.push('lost')
  const lost = await countLost(store, upTo(deeds))
  await doDeed(store, deeds + 1)
  store.close()
  const again = await openStore(folder, scopeKeyOf('scope'), () => undefined)
  if (lost + (await countLost(again, upTo(deeds + 1))) > 0) found.push('lost')
  again.close()
  return found
}

async function tryCache(one: Case, folder: string, random: () => number): Promise<Figure[]> {
  const file =
    one.target === 'catalogue'
      ? cataloguePaths(folder, scopeKeyOf('scope')).goods.current
      : join(folder, one.target)
  const found: Figure[] = []
  const isOpen = random() < 0.5
  let losses = 0
  const onLost = (): void => {
    losses++
  }
  let store: StorePort
  if (isOpen) {
    store = await openStore(folder, scopeKeyOf('scope'), onLost)
    damages[one.damage](file, random)
  } else {
    damages[one.damage](file, random)
    store = await openStore(folder, scopeKeyOf('scope'), onLost)
  }
  for (let n = 1; n <= shipments; n++) store.index.find(`WEB-${n}`)
  for (let n = 0; n < variants; n++) store.catalogue.byCode(`S-${n}`)
  const told = losses
  await store.index.put([scriptedShipment(1)], 2_000, null)
  // The write found a damaged page that no read had found, so the desk replaced the file and reads the list of the
  // service again.
  if (losses > told) await store.index.put([scriptedShipment(1)], 2_000, null)
  if (one.target === 'recent.db' && !isOpen && store.index.get(scriptedShipment(1).id) === null)
    found.push('lost')
  await doDeed(store, deeds + 1)
  if ((await countLost(store, upTo(deeds))) > 0 || !(await isDone(store, deeds + 1))) found.push('lost')
  store.close()
  const { recovery } = await reopened(folder)
  if (recovery) found.push('deskTouched')
  const isAside = readdirSync(folder).some((name) => name.startsWith('recent.damaged'))
  if (losses > 0 || isAside) found.push('cachesPutAside')
  return found
}

async function reopened(folder: string): Promise<{ recovery: unknown }> {
  const store = await openStore(folder, scopeKeyOf('scope'), () => undefined)
  const facts = await store.storage.facts()
  store.close()
  return facts
}

/** Creates the data folder of a closed desk and the data folder of a desk that was killed at work. */
async function makeTemplates(): Promise<Record<Case['life'], string>> {
  const killed = mkdtempSync(join(tmpdir(), 'scandesk-killed-'))
  const { stdout } = spawnSync(process.execPath, [writer, killed, String(deeds), 'full'], {
    encoding: 'utf8',
  })
  if (!stdout.includes(`ACK ${deeds}\n`)) throw new Error('the writer did not get through')
  const closed = mkdtempSync(join(tmpdir(), 'scandesk-closed-'))
  cpSync(killed, closed, { recursive: true })
  fillCatalogue(closed)
  const store = await openStore(closed, scopeKeyOf('scope'), () => undefined)
  await store.index.put(
    Array.from({ length: shipments }, (_, n) => scriptedShipment(n + 1)),
    1_000,
    null,
  )
  store.close()
  return { killed, closed }
}

function fillCatalogue(folder: string): void {
  const files = openCatalogueFiles(cataloguePaths(folder, scopeKeyOf('scope')), false)
  const rows = Array.from({ length: variants }, (_, n) => goodsVariant(n, { sku: `S-${n}` }))
  files.change({ rows, skipped: [], asOf: 50 })
  files.close()
}
