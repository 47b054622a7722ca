export interface Room {
  readonly files: string
  readonly alias?: string
  readonly may: readonly string[]
  readonly mayTypes?: readonly string[]
  readonly packages: readonly string[]
  readonly node: boolean
  readonly each?: boolean
}
export const rooms: Readonly<Record<string, Room>>
export function roomOf(path: string): { name: string; rest: string; unit: string } | null
export function judge(fromFile: string, specifier: string, typeOnly?: boolean): string | null
export function arrows(): { from: string; file: string; specifier: string }[]
