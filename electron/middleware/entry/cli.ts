import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { systemClock } from '#kit/clock.ts'
import { createLogger } from '#kit/logger.ts'
import { startMiddleware } from '../start-middleware.ts'

const usage =
  'npm run middleware -- [--port N] [--host H] [--data DIR] [--seed demo|empty] [--warehouse auto|manual]\n' +
  '                      [--sandbox] [--quirks]\n' +
  'Without --data nothing is kept. The warehouse stands still in both modes so far. --quirks answers as the\n' +
  'real service may: reduced variants, strange statuses and the like. The first line on stdout is JSON: url, wms, customer, username, password, others.\n'

interface Command {
  readonly port: number
  readonly host: string
  readonly databaseFile: string
  readonly seed: 'demo' | 'empty'
  readonly sandbox: boolean
  readonly quirks: boolean
}

/** Reads the command line; throws with a sentence for the terminal. */
function readCommand(args: readonly string[]): Command | 'help' {
  const { values } = parseArgs({
    args: [...args],
    options: {
      port: { type: 'string', default: '0' },
      host: { type: 'string', default: '127.0.0.1' },
      data: { type: 'string' },
      seed: { type: 'string', default: 'demo' },
      warehouse: { type: 'string', default: 'auto' },
      sandbox: { type: 'boolean', default: false },
      quirks: { type: 'boolean', default: false },
      help: { type: 'boolean', default: false },
    },
  })
  if (values.help) return 'help'
  const port = Number(values.port)
  if (!Number.isInteger(port) || port < 0 || port > 65535) throw new Error(`--port ${values.port} is no port`)
  if (values.seed !== 'demo' && values.seed !== 'empty') throw new Error('--seed is demo or empty')
  if (values.warehouse !== 'auto' && values.warehouse !== 'manual')
    throw new Error('--warehouse is auto or manual')
  if (values.data !== undefined) mkdirSync(values.data, { recursive: true })
  const databaseFile = values.data === undefined ? ':memory:' : join(values.data, 'middleware.db')
  const { host, seed, sandbox, quirks } = values
  return { port, host, databaseFile, seed, sandbox, quirks }
}

async function run(command: Command): Promise<void> {
  const logger = createLogger('middleware')
  const running = await startMiddleware({ ...command, clock: systemClock, logger })
  process.stdout.write(`${JSON.stringify(running.invitation)}\n`)
  for (const signal of ['SIGTERM', 'SIGINT'] as const) {
    process.once(signal, () => {
      void running.stop()
    })
  }
}

try {
  const command = readCommand(process.argv.slice(2))
  if (command === 'help') process.stdout.write(usage)
  else await run(command)
} catch (error) {
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`)
  process.exitCode = 1
}
