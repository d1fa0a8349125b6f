/** Asked at each batch of what may be long: whether there may be another now; otherwise the rest waits. */
export type MayGoOn = () => boolean;

export const toTheEnd: MayGoOn = () => true;
