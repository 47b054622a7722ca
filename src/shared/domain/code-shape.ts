const longestShape = 40

/**
 * What codes of one kind have in common: each letter as A, each digit as 9, all else as it is. `WEB-1042` ->
 * `AAA-9999`. Null for what is too long to be such a code. `code` in the form of normaliseCode.
 */
export function codeShape(code: string): string | null {
  if (code === '' || code.length > longestShape) return null
  return code.replaceAll(/\p{L}/gu, 'A').replaceAll(/\p{N}/gu, '9')
}
