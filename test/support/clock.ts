/** The time of the tests: the day of the shipped exchange rates. */
export const NOW = new Date('2026-04-13T10:00:00Z');
