import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { systemClock } from '#kit/clock.ts'
import { createLogger } from '#kit/logger.ts'
import { startMiddleware } from '../start-middleware.ts'

const usage =
  'npm run middleware -- [--port N] [--host H] [--data DIR] [--seed demo|empty] [--sandbox]\n' +
  'Without --data nothing is kept. The first line on stdout is JSON: url, wms, customer, username, password, others.\n'

interface Command {
  readonly port: number
  readonly host: string
  readonly databaseFile: string
  readonly seed: 'demo' | 'empty'
  readonly sandbox: boolean
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
      sandbox: { type: 'boolean', default: false },
      help: { type: 'boolean', default: false },
    },
  })
  if (values.help) return 'help'
  const port = Number(values.port)
  if (!Number.isInteger(port) || port < 0 || port > 65535) throw new Error(`--port ${values.port} is no port`)
  if (values.seed !== 'demo' && values.seed !== 'empty') throw new Error('--seed is demo or empty')
  if (values.data !== undefined) mkdirSync(values.data, { recursive: true })
  const databaseFile = values.data === undefined ? ':memory:' : join(values.data, 'middleware.db')
  return { port, host: values.host, databaseFile, seed: values.seed, sandbox: values.sandbox }
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
