import { beforeEach, describe, expect, it, vi } from 'vitest'

const asked = { setProxy: vi.fn(), resolveProxy: vi.fn(), forceReloadProxyConfig: vi.fn() }
const fromPartition = vi.fn()
vi.mock('electron', () => ({ session: { fromPartition }, powerMonitor: {} }))
const { parseProxyWords, systemProxy, useProxy } = await import('../../../electron/main/system-network.ts')

beforeEach(() => {
  fromPartition.mockReturnValue(asked)
  asked.setProxy.mockReset().mockResolvedValue(undefined)
  asked.resolveProxy.mockReset().mockResolvedValue('PROXY corp:3128; DIRECT')
})

describe('the system’s proxy', () => {
  it('is queried through a session that no page uses', async () => {
    expect(await systemProxy('https://service.example/')).toBe('http://corp:3128')
    expect(fromPartition).toHaveBeenCalledWith('system-proxy')
    expect(asked.setProxy).toHaveBeenCalledWith({ mode: 'system' })
    expect(asked.resolveProxy).toHaveBeenCalledWith('https://service.example/')
  })

  it('is replaced by the proxy setting of the app’s command line if the command line has one', async () => {
    useProxy({ mode: 'direct' })
    await systemProxy('https://service.example/')
    expect(asked.setProxy).toHaveBeenCalledWith({ mode: 'direct' })
    useProxy({ mode: 'system' })
  })

  it('is read again by Chromium only on request', async () => {
    asked.forceReloadProxyConfig.mockReset().mockResolvedValue(undefined)
    await systemProxy('https://service.example/')
    expect(asked.forceReloadProxyConfig).not.toHaveBeenCalled()
    expect(await systemProxy('https://service.example/', { reloads: true })).toBe('http://corp:3128')
    expect(asked.forceReloadProxyConfig).toHaveBeenCalledOnce()
  })

  it('is null if it cannot be determined', async () => {
    asked.resolveProxy.mockRejectedValue(new Error('gone'))
    expect(await systemProxy('https://service.example/')).toBeNull()
  })

  it.each([
    ['DIRECT', null],
    ['', null],
    ['PROXY proxy.example.org:3128', 'http://proxy.example.org:3128'],
    ['PROXY a:1; PROXY b:2; DIRECT', 'http://a:1'],
    ['HTTPS secure.example.org:443;DIRECT', 'https://secure.example.org:443'],
    ['SOCKS5 s:1080; PROXY a:1', 'http://a:1'],
    ['SOCKS s:1080; DIRECT; PROXY a:1', null],
    ['PROXY', null],
    ['PROXY :', null],
  ])('is parsed from Electron’s reply %s as %s', (answer, proxy) => {
    expect(parseProxyWords(answer)).toBe(proxy)
  })
})
