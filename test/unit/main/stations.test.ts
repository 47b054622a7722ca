import { describe, expect, it } from 'vitest'
import {
  checkAddress,
  dropUnusedLogins,
  mostStations,
  normaliseBaseUrl,
  scopeOf,
  Stations,
} from '../../../electron/main/stations.ts'
import { loginSecret } from '#desk/service/session.ts'
import { commandSecretForm } from '#shared/domain/commands.ts'
import { pcSettings } from '#support/pc-settings.ts'

const draft = {
  name: 'Dock 4',
  baseUrl: 'https://wms.example.com',
  wmsCode: 'LIVE',
  customerCode: 'ACME',
  documentHosts: '',
}

describe('Stations', () => {
  it('contains at first only the sandbox, with a login for it', () => {
    const stations = new Stations(pcSettings())
    expect(stations.current()).toMatchObject({ id: 'sandbox', environment: 'sandbox', baseUrl: 'embedded:' })
    expect(stations.current().demoLogin).not.toBeNull()
    expect(stations.list()).toHaveLength(1)
  })

  it('decides by the WMS code whether a station is for development or production', () => {
    const stations = new Stations(pcSettings())
    expect(stations.save({ ...draft, wmsCode: 'dev' })).toMatchObject({
      value: { environment: 'development', demoLogin: null },
    })
    expect(stations.save(draft)).toMatchObject({ value: { environment: 'production', demoLogin: null } })
  })

  it('keeps one station for each combination of server, WMS and customer, under the name saved last', () => {
    const stations = new Stations(pcSettings())
    const first = stations.save(draft)
    const renamed = stations.save({ ...draft, baseUrl: 'HTTPS://WMS.example.com/', name: 'Dock 5' })
    expect(stations.list()).toHaveLength(2)
    expect(renamed).toMatchObject({ value: { name: 'Dock 5' } })
    expect(first.ok && renamed.ok && first.value.id === renamed.value.id).toBe(true)
    stations.save({ ...draft, customerCode: 'OTHER' })
    expect(stations.list()).toHaveLength(3)
  })

  it('saves at most 64 stations, refuses the next new station, and still changes a saved one', () => {
    const stations = new Stations(pcSettings())
    const save = (number: number, name = 'Dock'): ReturnType<Stations['save']> =>
      stations.save({ ...draft, name, customerCode: `C${number}` })
    for (let number = 0; number < mostStations; number++) save(number)
    expect(save(mostStations)).toMatchObject({
      ok: false,
      error: { code: 'station.too_many', params: { most: 64 } },
    })
    expect(stations.list()).toHaveLength(1 + 64)
    expect(save(3, 'Dock 3')).toMatchObject({ value: { name: 'Dock 3' } })
    const [, first] = stations.list()
    stations.remove(first?.id ?? '')
    expect(save(mostStations).ok).toBe(true)
  })

  it('gives each station except the sandbox a command secret, which changes only when it is renewed', () => {
    const settings = pcSettings()
    let next = 0
    const chance = { bytes: (size: number) => new Uint8Array(size).fill(next++), nowMs: () => 1_000 }
    const stations = new Stations(settings, chance)
    const textOf = (id: string): string | undefined =>
      new Stations(settings).list().find((one) => one.id === id)?.commandSecret?.text
    const first = stations.save(draft)
    const second = stations.save({ ...draft, customerCode: 'OTHER' })
    if (!first.ok || !second.ok) throw new Error('not saved')
    expect(first.value.commandSecret).toEqual({
      ...{ text: '00000', madeAt: '1970-01-01T00:00:01.000Z', isProvisioned: false },
    })
    stations.save({ ...draft, name: 'Dock 5' })
    expect([textOf(first.value.id), textOf(second.value.id), textOf('sandbox')]).toEqual([
      '00000',
      '11111',
      undefined,
    ])
    expect(stations.renewSecret(first.value.id)).toMatchObject({
      value: { commandSecret: { text: '22222' } },
    })
    expect([textOf(first.value.id), textOf(second.value.id)]).toEqual(['22222', '11111'])
    expect(stations.renewSecret('sandbox')).toMatchObject({ ok: false, error: { code: 'station.none' } })
  })

  it('creates at the next start the command secret that a stored station lacks, and keeps it at later starts', () => {
    const settings = pcSettings()
    settings.update({ stations: [{ ...draft, id: 'old', commandSecret: null }] })
    const { commandSecret } = new Stations(settings).list()[1] ?? {}
    expect(commandSecret?.text).toMatch(commandSecretForm)
    expect(new Stations(settings).list()[1]?.commandSecret).toEqual(commandSecret)
  })

  it('uses the sandbox after the current station was removed', () => {
    const stations = new Stations(pcSettings())
    const saved = stations.save(draft)
    if (!saved.ok) throw new Error('not saved')
    expect(stations.use(saved.value.id)).toMatchObject({ ok: true })
    expect(scopeOf(stations.current())).toEqual({
      baseUrl: draft.baseUrl,
      wmsCode: 'LIVE',
      customerCode: 'ACME',
    })
    stations.remove(saved.value.id)
    expect(stations.current().id).toBe('sandbox')
    expect(stations.use(saved.value.id)).toMatchObject({ ok: false, error: { code: 'station.none' } })
  })
})

describe('dropUnusedLogins()', () => {
  it('removes a stored login if no station has its server, WMS and customer', () => {
    const settings = pcSettings()
    const stations = new Stations(settings)
    stations.save(draft)
    const keys = stations.list().map((station) => loginSecret(scopeOf(station)))
    const gone = loginSecret({ ...scopeOf(stations.current()), customerCode: 'GONE' })
    settings.update({ secrets: Object.fromEntries([...keys, gone].map((key) => [key, 'ciphertext'])) })
    dropUnusedLogins(settings, stations.list())
    expect(Object.keys(settings.read().secrets)).toEqual(keys)
  })
})

describe('normaliseBaseUrl()', () => {
  it.each([
    ['wms.example.com', 'https://wms.example.com'],
    [' HTTPS://WMS.Example.com/ ', 'https://wms.example.com'],
    ['https://wms.example.com/eu/', 'https://wms.example.com/eu'],
    ['wms.example.com:8443/eu', 'https://wms.example.com:8443/eu'],
    ['https://Lager.Müller.example', 'https://lager.xn--mller-kva.example'],
    ['https://wms.example.com:8443//', 'https://wms.example.com:8443'],
    ['http://127.0.0.1:4010', 'http://127.0.0.1:4010'],
    ['http://localhost:4010/', 'http://localhost:4010'],
  ])('turns %s into %s', (text, url) => {
    expect(normaliseBaseUrl(text)).toEqual({ ok: true, value: url })
  })

  it.each([
    ['http://wms.example.com', 'station.insecure_url'],
    ['ftp://wms.example.com', 'station.invalid_url'],
    ['https://user:secret@wms.example.com', 'station.invalid_url'],
    ['javascript:alert(1)', 'station.invalid_url'],
    ['https://', 'station.invalid_url'],
    ['', 'station.invalid_url'],
    ['https://wms.example.com/eu/?x=1', 'station.invalid_url'],
    // this text fits the pattern of an IPv6 address, and only the URL parser refuses it
    ['https://[1:2]', 'station.invalid_url'],
  ])('refuses %s with the error %s', (text, code) => {
    expect(normaliseBaseUrl(text)).toMatchObject({ ok: false, error: { code } })
  })
})

describe('checkAddress()', () => {
  const draft = {
    name: 'n',
    baseUrl: 'wms.example.com',
    wmsCode: 'DEV',
    customerCode: 'A B-1',
    documentHosts: '',
  }

  it('refuses codes that an HTTP header cannot contain', () => {
    expect(checkAddress(draft)).toEqual({ ok: true, value: 'https://wms.example.com' })
    for (const wrong of ['ALDÉR', 'ALDER\u200b', 'A\tB', 'Ж'])
      for (const codes of [{ wmsCode: wrong }, { customerCode: wrong }])
        expect(checkAddress({ ...draft, ...codes })).toMatchObject({
          ok: false,
          error: { code: 'station.invalid_code', params: { code: wrong } },
        })
  })
})
