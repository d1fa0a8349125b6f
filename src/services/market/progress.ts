/** Told how far a long piece of work is, for a progress bar or the log; with a total of 0, that it waits. */
export type Progress = (label: string, done: number, total: number) => void;

export const noProgress: Progress = () => {};
