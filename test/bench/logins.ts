import { once } from 'node:events'
import { send } from '#support/middleware-server.ts'
import { firstLine, type Invitation, spawnCli } from '#support/middleware-children.ts'
import { tokens as tokensSchema } from '#shared/wire/auth.ts'
import { shareOf } from './bench-share.ts'
import { printFigure } from './figure.ts'
import { say } from './progress.ts'

const calls = 200
const guessers = 60

/**
 * Measures how long a logged-in user waits for a list, once while sixty other clients guess passwords without a pause,
 * and once without these clients.
 */
export async function benchLogins(): Promise<void> {
  say(`listing ${calls} times while ${guessers} guess passwords …`)
  const child = spawnCli()
  try {
    const server = await firstLine(child)
    const token = await logIn(server)
    await waits(server, token, shareOf(20))
    const quiet = await waits(server, token, shareOf(calls, 20))
    const flood = new Flood(server)
    const flooded = await waits(server, token, shareOf(calls, 20))
    const answers = await flood.stop()
    say(
      `worst wait ${Math.round(Math.max(...flooded))} ms; answers to the guesses: ${JSON.stringify(answers)}`,
    )
    const peer = { name: 'the same list in quiet', values: quiet }
    printFigure({ name: 'a list during a flood of logins', values: flooded }, peer, {
      goal: { of: 'p99', atMost: 1_500 },
    })
  } finally {
    child.kill()
    if (child.exitCode === null) await once(child, 'exit')
  }
}

async function waits(server: Invitation, token: string, times: number): Promise<number[]> {
  const taken: number[] = []
  for (let time = 0; time < times; time++) {
    const began = performance.now()
    const headers = { 'x-wms-code': server.wms }
    const reply = await send(server.url, '/wms/shipments/?limit=1', {
      headers,
      customer: server.customer,
      token,
    })
    if (reply.status !== 200) throw new Error(`the list was refused: ${reply.status}`)
    taken.push(performance.now() - began)
  }
  return taken
}

/**
 * Clients that guess passwords. After each refusal a client tries again at once with another user name, so that no user
 * name exceeds its limit of attempts.
 */
class Flood {
  readonly #answers: Record<number, number> = {}
  readonly #guessers: readonly Promise<void>[]
  #isOver = false

  constructor(server: Invitation) {
    this.#guessers = Array.from({ length: guessers }, async (_, number) => {
      for (let guess = 0; !this.#isOver; guess++) {
        const { status } = await tryLogin(server, `guesser-${number}-${guess}`, 'wrong')
        this.#answers[status] = (this.#answers[status] ?? 0) + 1
      }
    })
  }

  /** Returns the number of responses by status. */
  async stop(): Promise<Readonly<Record<number, number>>> {
    this.#isOver = true
    await Promise.all(this.#guessers)
    return this.#answers
  }
}

async function logIn(server: Invitation): Promise<string> {
  const { body } = await tryLogin(server, server.username, server.password ?? '')
  return tokensSchema.parse(body).token
}

function tryLogin(server: Invitation, username: string, password: string): ReturnType<typeof send> {
  return send(server.url, '/wms/auth/login/', {
    method: 'POST',
    body: { username, password },
    headers: { 'x-wms-code': server.wms },
    customer: server.customer,
  })
}
