import { execFile } from 'node:child_process'
import { cpSync, existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { promisify } from 'node:util'
import { z } from 'zod'
import { say } from './progress.ts'

const repo = resolve(import.meta.dirname, '../..')
const recipes = join(import.meta.dirname, 'peers')
/**
 * The folder of the peers: the programs of other projects with which a bench compares the product. They are not part of
 * Scandesk.
 */
export const peersFolder = join(repo, 'out/bench-peers')
const run = promisify(execFile)
const installMs = 180_000
const lookUpMs = 180_000

let installing: Promise<string | null> | null = null

/**
 * Installs the compared programs (peers) once, at exact versions. Resolves with null, or with the cause if npm cannot
 * install them.
 */
export function installPeers(): Promise<string | null> {
  return (installing ??= install())
}

async function install(): Promise<string | null> {
  cpSync(recipes, peersFolder, { recursive: true })
  const wanted = readFileSync(join(recipes, 'package.json'), 'utf8')
  const stamp = join(peersFolder, 'installed.json')
  if (existsSync(stamp) && readFileSync(stamp, 'utf8') === wanted) return null
  say('installing the peers into out/bench-peers …')
  const isWindows = process.platform === 'win32'
  const args = ['install', '--no-package-lock', '--ignore-scripts', '--loglevel=error']
  cpSync(join(repo, '.npmrc'), join(peersFolder, '.npmrc'))
  try {
    await run(isWindows ? 'npm.cmd' : 'npm', args, { cwd: peersFolder, shell: isWindows, timeout: installMs })
    writeFileSync(stamp, wanted)
    return null
  } catch (error) {
    const why = `npm could not install the peers: ${String(error).split('\n').slice(0, 3).join(' ')}`
    say(why)
    return why
  }
}

const answer = z.object({ us: z.array(z.number()) })

/**
 * Measures look-ups in one of the compared programs (peers), in a separate process. Returns the microseconds of each
 * look-up.
 */
export async function lookUpInPeer(script: string, rowsFile: string, lookups: number): Promise<number[]> {
  const { stdout } = await run(process.execPath, [join(peersFolder, script), rowsFile, String(lookups)], {
    cwd: peersFolder,
    timeout: lookUpMs,
    maxBuffer: 16 * 1024 * 1024,
  })
  return answer.parse(JSON.parse(stdout)).us
}
