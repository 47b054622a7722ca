import type { StationView } from '#shared/bridge/views.ts'

/** Returns a station of a real service, with this text as id, name and customer code. */
export function stationView(id: string): StationView {
  return {
    id,
    name: id,
    baseUrl: 'https://wms.example.com',
    wmsCode: 'LIVE',
    customerCode: id,
    documentHosts: '',
    environment: 'production',
    commandSecret: null,
    demoLogin: null,
  }
}
