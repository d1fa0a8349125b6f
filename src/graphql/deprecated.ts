/** The reason for which a field is deprecated; the day is six months from the release on that has it (CONTRIBUTING.md). */
export const insteadOf = (field: string) => `Use \`${field}\` instead. Removed after 2027-05-31.`;
