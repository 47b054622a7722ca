import { spawn } from 'node:child_process'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { describe, expect, it } from 'vitest'
import { foreignText, worstTexts } from '#support/foreign-text.ts'

/**
 * Milliseconds after which a function counts as stuck on any machine. For a megabyte, a function with quadratic work
 * needs minutes to hours, and a function with linear work some milliseconds.
 */
const hopelessMs = 60_000

const pairs = Object.keys(foreignText).flatMap((name) =>
  Object.keys(worstTexts).map((text) => `${name}: ${text}`),
)

/**
 * Runs pairs of a function and a text in a child process, beginning with the pair number `first`. If a function does
 * not return, kills the process. Returns the number of the next pair and the faults found.
 */
function runFrom(first: number): Promise<{ next: number; faults: string[] }> {
  const child = spawn(
    process.execPath,
    [join(import.meta.dirname, '../support/foreign-text-child.ts'), String(first)],
    {
      stdio: ['ignore', 'pipe', 'pipe'],
    },
  )
  let begun = first
  let hasEnded = false
  let said = ''
  const faults: string[] = []
  const stop = (): boolean => child.kill('SIGKILL')
  let timer = setTimeout(stop, hopelessMs * 3)
  child.stderr.on('data', (piece: Buffer) => (said = (said + piece.toString()).slice(-2_000)))
  createInterface(child.stdout).on('line', (line) => {
    const [word, number = ''] = line.split(' ')
    clearTimeout(timer)
    timer = setTimeout(stop, hopelessMs)
    if (word === 'begin') begun = Number(number)
    if (word === 'overflow') faults.push(`${pairs[begun] ?? ''}: ${line}`)
    if (word === 'all') hasEnded = true
  })
  return new Promise((resolve) => {
    child.once('close', (code) => {
      clearTimeout(timer)
      if (hasEnded) resolve({ next: pairs.length, faults })
      else
        resolve({
          next: begun + 1,
          faults: [...faults, `${pairs[begun] ?? ''}: ${code === null ? 'did not return' : said}`],
        })
    })
  })
}

describe('functions that receive text from outside the program', () => {
  it('return within the time limit when they receive a megabyte of their worst input', async () => {
    const faults: string[] = []
    for (let at = 0; at < pairs.length;) {
      const run = await runFrom(at)
      faults.push(...run.faults)
      at = run.next
    }
    expect(faults).toEqual([])
  }, 3_600_000)
})
