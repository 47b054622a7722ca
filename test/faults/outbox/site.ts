import { appendFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Random } from '#middleware/warehouse/demo/random.ts'
import { sandbox } from '#shared/domain/sandbox.ts'
import type { Certificate } from '#support/certificate.ts'
import type { Order } from './deed.ts'
import { type FaultCount, FaultProxy } from './fault-proxy.ts'
import { Tunnel } from './tunnel.ts'
import { readGoods, World } from './world.ts'

/** The connection of the desk to the service: direct, or by https through a company proxy. */
export const ways = ['direct', 'proxy'] as const
export type Way = (typeof ways)[number]

/** The host name of the service for the connection through the proxy. */
export const hostName = 'service.scandesk.test'
/** Maximum delay of a write in milliseconds. The quiet time of the desk is longer. */
const lateMs = 250
/** Time limit of the desk for a response during faults, in milliseconds. */
export const headersMs = 350

export interface SitePlan {
  readonly way: Way
  readonly certificate: Certificate
  /** Quiet time of the desk in milliseconds: how long a write without a response may still arrive. */
  readonly quietMs: number
  readonly random: Random
}

/** A service, the proxies in front of it, and the settings with which a desk reaches it. */
export interface Site {
  readonly world: World
  readonly proxy: FaultProxy
  readonly tunnel: Tunnel | null
  readonly order: Omit<Order, 'task' | 'seed' | 'killAt' | 'shipmentIds' | 'control'>
}

export async function openSite(plan: SitePlan, folder: string, count: FaultCount): Promise<Site> {
  const world = await World.start(folder)
  const isProxied = plan.way === 'proxy'
  const origin = `https://${hostName}`
  const proxy = await FaultProxy.start(
    {
      target: world.url,
      random: plan.random.fork('proxy'),
      rates: { writes: 0.56, reads: 0.08, logins: 0.08 },
      lateMs,
      tls: isProxied ? { ...plan.certificate, origin } : null,
      log: (line) => appendFileSync(join(folder, 'wire.jsonl'), `${line}\n`),
    },
    count,
  )
  const tunnel = isProxied ? await Tunnel.start(proxy.port, plan.random.fork('tunnel'), count) : null
  const { wmsCode, customerCode, username, password } = sandbox
  const { methodIds, variants, locationIds } = readGoods(folder)
  return {
    world,
    proxy,
    tunnel,
    order: {
      dataDir: world.deskFolder,
      embeddedUrl: isProxied ? null : `http://127.0.0.1:${proxy.port}`,
      baseUrl: isProxied ? origin : 'embedded:',
      proxy: tunnel?.url ?? null,
      authority: isProxied ? plan.certificate.cert : null,
      wmsCode,
      customerCode,
      username,
      password,
      quietMs: plan.quietMs,
      headersMs,
      deeds: 0,
      methodIds,
      variants,
      locationIds,
    },
  }
}

export async function closeSite({ world, proxy, tunnel }: Site): Promise<void> {
  await tunnel?.close()
  await proxy.close()
  await world.stop()
}

/** Turns faults on. */
export function makeHostile({ proxy, tunnel }: Site): void {
  proxy.isHostile = true
  proxy.openGaps()
  if (tunnel) tunnel.isHostile = true
}

/** Turns faults off and waits until every held write was applied. */
export async function makeCalm({ proxy, tunnel }: Site): Promise<void> {
  if (tunnel) tunnel.isHostile = false
  await proxy.calm()
}
