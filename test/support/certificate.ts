import { createPrivateKey, generateKeyPairSync, randomBytes, sign } from 'node:crypto'

/** A self-signed certificate and its key, in PEM. */
export interface Certificate {
  readonly key: string
  readonly cert: string
}

/** The period in which a certificate is valid, in days from now. */
interface Validity {
  readonly fromDays: number
  readonly toDays: number
}

/**
 * Creates a self-signed certificate for one host name. By default it is valid from a day ago until a day from now. The
 * DER is encoded here (RFC 5280), because Node cannot create certificates and a test must not need another program.
 */
export function makeCertificate(
  hostName: string,
  { fromDays, toDays }: Validity = { fromDays: -1, toDays: 1 },
): Certificate {
  const { publicKey, privateKey } = generateKeyPairSync('ec', {
    namedCurve: 'P-256',
    publicKeyEncoding: { type: 'spki', format: 'der' },
    privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
  })
  const name = sequence(set(sequence(oid('550403'), tlv(0x0c, Buffer.from(hostName)))))
  const day = 24 * 3600_000
  const alternative = sequence(tlv(0x82, Buffer.from(hostName)))
  const body = sequence(
    tlv(0xa0, integer(Buffer.from([2]))),
    integer(Buffer.concat([Buffer.from([1]), randomBytes(8)])),
    ecdsaWithSha256,
    name,
    sequence(utcTime(Date.now() + fromDays * day), utcTime(Date.now() + toDays * day)),
    name,
    publicKey,
    tlv(
      0xa3,
      sequence(
        // Encodes the extensions basicConstraints (CA) and subjectAltName of the certificate.
        sequence(
          oid('551d13'),
          tlv(0x01, Buffer.from([0xff])),
          octets(sequence(tlv(0x01, Buffer.from([0xff])))),
        ),
        sequence(oid('551d11'), octets(alternative)),
      ),
    ),
  )
  const signature = sign('sha256', body, createPrivateKey(privateKey))
  const der = sequence(body, ecdsaWithSha256, tlv(0x03, Buffer.concat([Buffer.from([0]), signature])))
  const lines = der.toString('base64').replaceAll(/(.{64})/g, '$1\n')
  return {
    key: privateKey,
    cert: `-----BEGIN CERTIFICATE-----\n${lines}\n-----END CERTIFICATE-----\n`,
  }
}

/** Encodes one element of DER: its tag, its length and its value. */
function tlv(tag: number, value: Buffer): Buffer {
  const { length } = value
  const size = length < 0x80 ? [length] : length < 0x100 ? [0x81, length] : [0x82, length >> 8, length & 0xff]
  return Buffer.concat([Buffer.from([tag, ...size]), value])
}

const sequence = (...parts: Buffer[]): Buffer => tlv(0x30, Buffer.concat(parts))
const set = (...parts: Buffer[]): Buffer => tlv(0x31, Buffer.concat(parts))
const integer = (value: Buffer): Buffer => tlv(0x02, value)
const octets = (value: Buffer): Buffer => tlv(0x04, value)
const oid = (hex: string): Buffer => tlv(0x06, Buffer.from(hex, 'hex'))

/** The object identifier of the signature algorithm ecdsa-with-SHA256 (RFC 5758): 1.2.840.10045.4.3.2. */
const ecdsaWithSha256 = sequence(oid('2a8648ce3d040302'))

/** Encodes a time in DER as UTCTime: `YYMMDDHHMMSSZ`. */
function utcTime(ms: number): Buffer {
  const text = new Date(ms).toISOString().slice(2, 19).replaceAll(/[-:T]/g, '')
  return tlv(0x17, Buffer.from(`${text}Z`))
}
