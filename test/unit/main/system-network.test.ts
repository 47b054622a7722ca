import { beforeEach, describe, expect, it, vi } from 'vitest'

const asked = { setProxy: vi.fn(), resolveProxy: vi.fn(), forceReloadProxyConfig: vi.fn() }
const fromPartition = vi.fn()
vi.mock('electron', () => ({ session: { fromPartition }, powerMonitor: {} }))
const { parseProxyWords, systemProxies, useProxy } = await import('../../../electron/main/system-network.ts')

beforeEach(() => {
  fromPartition.mockReturnValue(asked)
  asked.setProxy.mockReset().mockResolvedValue(undefined)
  asked.resolveProxy.mockReset().mockResolvedValue('PROXY corp:3128; DIRECT')
})

describe('the system’s proxy', () => {
  it('is queried through a session that no page uses', async () => {
    expect(await systemProxies('https://service.example/')).toEqual(['http://corp:3128', null])
    expect(fromPartition).toHaveBeenCalledWith('system-proxy')
    expect(asked.setProxy).toHaveBeenCalledWith({ mode: 'system' })
    expect(asked.resolveProxy).toHaveBeenCalledWith('https://service.example/')
  })

  it('is replaced by the proxy setting of the app’s command line if the command line has one', async () => {
    useProxy({ mode: 'direct' })
    await systemProxies('https://service.example/')
    expect(asked.setProxy).toHaveBeenCalledWith({ mode: 'direct' })
    useProxy({ mode: 'system' })
  })

  it('is read again by Chromium only on request', async () => {
    asked.forceReloadProxyConfig.mockReset().mockResolvedValue(undefined)
    await systemProxies('https://service.example/')
    expect(asked.forceReloadProxyConfig).not.toHaveBeenCalled()
    expect(await systemProxies('https://service.example/', { reloads: true })).toEqual([
      'http://corp:3128',
      null,
    ])
    expect(asked.forceReloadProxyConfig).toHaveBeenCalledOnce()
  })

  it('is a connection without a proxy if it cannot be determined', async () => {
    asked.resolveProxy.mockRejectedValue(new Error('gone'))
    expect(await systemProxies('https://service.example/')).toEqual([null])
  })

  it.each([
    ['DIRECT', [null]],
    ['', [null]],
    ['PROXY proxy.example.org:3128', ['http://proxy.example.org:3128']],
    ['PROXY a:1; PROXY b:2; DIRECT; PROXY a:1', ['http://a:1', 'http://b:2', null]],
    ['HTTPS secure.example.org:443;DIRECT', ['https://secure.example.org:443', null]],
    ['SOCKS5 s:1080; PROXY a:1', ['http://a:1']],
    ['SOCKS s:1080; DIRECT; PROXY a:1', [null, 'http://a:1']],
    ['PROXY', [null]],
    ['PROXY :', [null]],
  ])('is parsed from Electron’s reply %s as %s', (answer, proxies) => {
    expect(parseProxyWords(answer)).toEqual(proxies)
  })
})
