import { useEffect, useRef } from 'preact/hooks';
import uPlot from 'uplot';
import 'uplot/dist/uPlot.min.css';
import { useScheme } from './parts.tsx';

/** What is told of each point along an axis. */
export interface Line<Point> {
  name: string;
  /** Null where there is nothing to draw. */
  of: (point: Point) => number | null;
  text: (point: Point) => string;
}

/** The length of an axis with its marks. */
const MARKS = 78;

/**
 * Lines over days or amounts, drawn by uPlot: the first filled, the others dashed beside it. What it says is in `summary`,
 * and in a table below it by the caller.
 */
export function Chart<Point>(props: {
  /** The lines are drawn again for others, so they are to be kept from one time to the next. */
  points: readonly Point[];
  /** `of` gives seconds since 1970 where `isTime`. */
  x: Line<Point>;
  isTime?: boolean;
  lines: readonly Line<Point>[];
  /** The marks of an axis of amounts, and of that of the lines. */
  markX?: (value: number) => string;
  markY: (value: number) => string;
  summary: string;
  height?: number;
}) {
  const place = useRef<HTMLDivElement>(null);
  const isDark = useScheme();
  const { points, height = 260 } = props;

  // The texts and marks are those of the points.
  useEffect(() => {
    const { x, isTime = false, lines, markX = String, markY } = props;
    const element = place.current!;
    const colours = getComputedStyle(element);
    const colour = (name: string) => resolved(colours.getPropertyValue(name), isDark);
    const [soft, accent] = [colour('--soft'), colour('--accent')];
    const textOf =
      ({ text }: Line<Point>): uPlot.Series['value'] =>
      (_plot, _value, _line, index) =>
        index === null ? '—' : text(points[index]!);
    const axis = {
      stroke: soft,
      grid: { stroke: colour('--line'), width: 1 },
      ticks: { show: false },
      font: `12px ${colour('--type')}`,
    };
    const plot = new uPlot(
      {
        width: element.clientWidth,
        height,
        cursor: { drag: { x: false, y: false } },
        // The last point where none is pointed at.
        hooks: {
          setLegend: [
            (chart) => {
              if (chart.legend.idx == null) chart.setLegend({ idx: points.length - 1 });
            },
          ],
        },
        scales: { x: { time: isTime } },
        axes: [
          { ...axis, space: MARKS, ...(!isTime && { values: (_, at) => at.map(markX) }) },
          { ...axis, size: MARKS, values: (_, at) => at.map(markY) },
        ],
        series: [
          { label: x.name, value: textOf(x) },
          ...lines.map((line, i) => ({
            label: line.name,
            stroke: i === 0 ? accent : soft,
            width: 2,
            // A value with none beside it has no line.
            points: { show: points.filter((point) => line.of(point) !== null).length < 2, size: 8 },
            ...(i === 0 ? { fill: `color-mix(in srgb, ${accent} 12%, transparent)` } : { dash: [6, 4] }),
            ...(!isTime && { paths: uPlot.paths.spline!() }),
            value: textOf(line),
          })),
        ],
      },
      [points.map((point) => x.of(point)!), ...lines.map(({ of }) => points.map(of))],
      element,
    );
    plot.setLegend({ idx: points.length - 1 });
    const watch = new ResizeObserver(() => plot.setSize({ width: element.clientWidth, height }));
    watch.observe(element);
    return () => {
      watch.disconnect();
      plot.destroy();
    };
  }, [points, height, isDark]);

  return <div class="chart" ref={place} role="img" aria-label={props.summary} />;
}

/** A custom property keeps `light-dark(a, b)` as it is written, which a canvas does not know. */
function resolved(value: string, isDark: boolean): string {
  const [, light, dark] = /^\s*light-dark\(([^,]+),([^)]+)\)/.exec(value) ?? [];
  return (isDark ? dark : light)?.trim() ?? value.trim();
}
