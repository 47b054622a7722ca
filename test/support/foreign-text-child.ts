/**
 * Passes each text that makes badly written code slow (`worstTexts`) to every function that reads foreign text. Writes
 * `begin N` and `end N` to stdout for each pair of a function and a text, so that its parent process sees which
 * function does not return. Argument: the number of pairs that are already done.
 */
import { writeSync } from 'node:fs'
import { foreignText, worstTexts } from './foreign-text.ts'

const say = (line: string): void => void writeSync(1, `${line}\n`)
const done = Number(process.argv[2] ?? 0)
let at = 0
for (const run of Object.values(foreignText))
  for (const text of Object.values(worstTexts)) {
    if (at >= done) {
      say(`begin ${at}`)
      try {
        await run(text)
      } catch (error) {
        // A refusal by the function is correct. A stack overflow is not.
        if (error instanceof RangeError) say(`overflow ${at} ${error.message}`)
      }
      say(`end ${at}`)
    }
    at++
  }
say('all')
