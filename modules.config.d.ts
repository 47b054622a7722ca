export interface Module {
  readonly files: string
  readonly alias?: string
  readonly may: readonly string[]
  readonly mayTypes?: readonly string[]
  readonly packages: readonly string[]
  readonly node: boolean
  readonly each?: boolean
}
export const modules: Readonly<Record<string, Module>>
export function moduleOf(path: string): { name: string; rest: string; unit: string } | null
export function judge(fromFile: string, specifier: string, typeOnly?: boolean): string | null
export function possibleImports(): { from: string; file: string; specifier: string }[]
