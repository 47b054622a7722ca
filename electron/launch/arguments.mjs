import { parseArgs } from 'node:util'
import { Stop } from './report.mjs'

/**
 * The arguments that a script accepts after `--`: `values` are options with a value (`--name VALUE` or `--name=VALUE`),
 * `flags` are options without a value, or with an optional value (`--name=VALUE`), `free` describes the arguments
 * without dashes.
 *
 * @typedef {{ values?: readonly string[], flags?: readonly string[], free?: string }} Known
 */

/**
 * Reads the arguments of a script. Stops at an unknown argument with a message that lists the known arguments, because
 * an ignored argument would seem to have had an effect.
 *
 * @param {string} script - as it is typed: `npm start`
 * @param {string[]} argv
 * @param {Known} known
 * @returns {{ options: Record<string, string | true>, free: string[] }}
 */
export function readArguments(script, argv, { values = [], flags = [], free } = {}) {
  const types = [...values.map((name) => [name, 'string']), ...flags.map((name) => [name, 'boolean'])]
  const options = Object.fromEntries(
    types.map(([name, type]) => [name, name.length === 1 ? { type, short: name } : { type }]),
  )
  const { tokens } = parseArgs({ args: argv, options, strict: false, tokens: true, allowPositionals: true })
  const takes = describe({ values, flags, free })
  const read = { options: {}, free: [] }
  for (const token of tokens) {
    if (token.kind === 'positional') {
      if (free === undefined) throw new Stop(`${script} does not accept "${token.value}". ${takes}`)
      read.free.push(token.value)
    } else if (token.kind === 'option') {
      const { name, rawName, value, inlineValue } = token
      if (!Object.hasOwn(options, name)) throw new Stop(`${script} does not accept ${rawName}. ${takes}`)
      // in `--data-dir --lang nl` the value of `--data-dir` is missing: `--lang` is the next option
      const isMissing = value === undefined || (inlineValue === false && value.startsWith('-'))
      if (options[name].type === 'string' && isMissing) throw new Stop(`${rawName} needs a value. ${takes}`)
      read.options[name] = value ?? true
    }
  }
  return read
}

function describe({ values, flags, free }) {
  const dashed = (name) => (name.length === 1 ? `-${name}` : `--${name}`)
  const known = [
    ...(free === undefined ? [] : [free]),
    ...values.map((name) => `${dashed(name)} VALUE`),
    ...flags.map(dashed),
  ]
  return known.length === 0 ? 'It takes no arguments.' : `It takes ${known.join(', ')}.`
}

/** Formats options as a program's arguments: `--name=VALUE` or `--name`. */
export function writeArguments(options) {
  return Object.entries(options).map(([name, value]) => (value === true ? `--${name}` : `--${name}=${value}`))
}
