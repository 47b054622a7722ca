import { createServer } from 'node:http'
import { z } from 'zod'
import { bulkVariant } from '#support/bulk-goods.ts'
import { listen } from './listen.ts'
import { isAboutLabels, LabelDesk } from './page-service-labels.ts'

/**
 * A simulated service in its own process. It has return labels. The customer code determines the number of articles
 * (`ROWS-1000`: 1,000 articles).
 */

const longestPage = 1_000
/**
 * Maximum number of rendered pages that are kept in memory. A second read of these pages costs this process almost
 * nothing.
 */
const mostKept = 300
const order = z.object({ isSilent: z.boolean() })

const rendered = new Map<string, string>()
/** Whether the service accepts connections but does not respond. */
let isSilent = false
const labels = new LabelDesk()

const server = createServer((request, response) => {
  if (isSilent) return
  const url = new URL(request.url ?? '/', 'http://127.0.0.1')
  if (isAboutLabels(url.pathname)) {
    void labels.answer(request, response)
    return
  }
  request.resume()
  const rows = Number(/^ROWS-(\d+)$/.exec(String(request.headers['x-customer-code']))?.[1] ?? 0)
  const [status, body] = answer(url, rows)
  response.writeHead(status, {
    'content-type': 'application/json',
    'content-length': Buffer.byteLength(body),
  })
  response.end(body)
})
process.on('message', (message) => {
  isSilent = order.parse(message).isSilent
})
process.once('disconnect', () => process.exit())
process.send?.({ port: await listen(server) })

function answer(url: URL, rows: number): readonly [status: number, body: string] {
  switch (url.pathname) {
    case '/wms/auth/login/':
    case '/wms/auth/refresh/':
      return [200, JSON.stringify({ token: 'bench', iat: 0, exp: 86_400, refresh_token: 'bench' })]
    case '/wms/variants/':
      return variants(url.searchParams, rows)
    default:
      return [200, '[]']
  }
}

function variants(query: URLSearchParams, rows: number): readonly [status: number, body: string] {
  const limit = Number(query.get('limit') ?? 50)
  if (limit > longestPage) return [400, '{"error":"limit is too large"}']
  // A look-up by code returns no article, because the desk already has all articles.
  if (!query.has('sort') && !query.has('limit')) return [200, '[]']
  const from = (Number(query.get('page') ?? 1) - 1) * limit
  const isNewestFirst = query.get('direction') === 'desc'
  const key = `${rows} ${from} ${limit} ${isNewestFirst}`
  const known = rendered.get(key)
  if (known !== undefined) return [200, known]
  const numbers = Array.from({ length: Math.max(0, Math.min(limit, rows - from)) }, (_, index) =>
    isNewestFirst ? rows - 1 - from - index : from + index,
  )
  const body = `[${numbers.map((number) => JSON.stringify(bulkVariant(number))).join(',')}]`
  if (rendered.size < mostKept) rendered.set(key, body)
  return [200, body]
}
