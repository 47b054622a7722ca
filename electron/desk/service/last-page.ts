/**
 * Whether a list ends with a page of so many rows. api.md names no largest page, so a service may give fewer rows than
 * it was asked for: a page is the last one only if it is empty, or shorter than one before it. `longest`: of the pages
 * of this walk so far; null before the first.
 */
export function isLastPage(length: number, longest: number | null): boolean {
  return length === 0 || (longest !== null && length < longest)
}
