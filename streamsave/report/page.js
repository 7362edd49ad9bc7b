"use strict";
// The page of `streamsave report`; blocks.py says how its data are packed. Texts of a save are only set as text.

const { min, max, abs, cos, sin, PI } = Math;
const $ = (query, root = document) => root.querySelector(query);
const make = (tag, text = "", more) => Object.assign(document.createElement(tag), { textContent: text }, more);
const makeButton = (text, onclick, more) => make("button", text, { onclick, ...more });
const number = (value) => value?.toLocaleString("en") ?? "";
const percent = (value) => `${number(+(100 * value).toFixed(2))} %`;
const size = (bytes, big = bytes > 1e6) => `${number(+(bytes / 1024 ** (1 + big)).toFixed(1))} ${"KM"[+big]}iB`;
const dark = matchMedia("(prefers-color-scheme: dark)");
const colour = (category) => data.categories[category][1 + dark.matches];
const dot = (category) => make("i", "", { style: `background: ${colour(category)}` });
let data;

// --- unpacking ---

// The columns of each kind of block: points, lines, their corners, the rest, what is in machines and stores.
const COLUMNS = [[Float32Array, Float32Array, Uint16Array, Uint8Array], [Uint32Array, Uint16Array], [Float32Array], [], []];

async function unpack() {
	const packed = new Blob([...document.querySelectorAll("script[type]")].map((tag) => {
		tag.remove();
		return Uint8Array.from(atob(tag.text), (letter) => letter.charCodeAt(0));
	}));
	const buffer = await new Response(packed.stream().pipeThrough(new DecompressionStream("gzip"))).arrayBuffer();
	const found = COLUMNS.map((types) => types.map(() => [])), names = [], details = [];
	let at = 0, end = 0, rest;
	const take = (type, length) => {
		const values = new type(buffer, at, length);
		at = (at + values.byteLength + 3) & ~3;
		return values;
	};
	while (at < buffer.byteLength) {
		const [kind, count, textSize] = take(Uint32Array, 3);
		COLUMNS[kind].forEach((type, index) => found[kind][index].push(take(type, count)));
		const text = new TextDecoder().decode(take(Uint8Array, textSize));
		if (kind === 0) names.push({ start: end, end: (end += count), text });
		if (kind === 3) rest = JSON.parse(text);
		if (kind === 4) details.push(text);
	}
	const [[x, y, classOf, turns], [owners, lengths], [corners]] = COLUMNS.map((types, kind) =>
		types.map((type, index) => type.from(found[kind][index].flatMap((piece) => [...piece]))));
	return { ...rest, names, details, x, y, classOf, turns, owners, lengths, corners };
}

function nameOf(point) {
	const block = data.names.find(({ end }) => point < end);
	return (block.list ??= JSON.parse(block.text))[point - block.start];
}

// What the tooltip says of the object with a name: recipe, clock, contents, what the sections say.
function detailsOf(name) {
	if (!data.said) {
		data.said = new Map();
		const say = (name, text) => data.said.set(name, [...(data.said.get(name) ?? []), text]);
		const shown = new Map(data.items.map(([shown, item]) => [item, shown]));
		for (const text of data.details.splice(0))
			for (const [name, about, ...more] of JSON.parse(text)) {
				// A machine has clock and whether it produces, a store its items, each with the number of it.
				if (about < 0) say(name, `${data.recipes[~about] || "no recipe"} · ${percent(more[0])} · ${more[1] ? "producing" : "idle"}${more[2] === null ? "" : ` · produced ${percent(more[2])} of the time`}`);
				else for (let at = 0; at < more.length; at += 2) say(name, `${number(more[at + 1])} ${shown.get(more[at]) ?? more[at]}${data.parts[about] && ` in ${data.parts[about]}`}`);
			}
		for (const { columns, rows, why } of data.sections)
			for (const row of why < 0 ? [] : rows) if (row[why]) say(row[columns.findIndex(([, kind]) => kind === "id")], row[why]);
	}
	return data.said.get(name) ?? [];
}

// --- the map ---

function showMap() {
	const { x, y, classes, classOf, owners, lengths, corners, categories } = data;
	const canvas = $("#map"), pen = canvas.getContext("2d"), frame = $("#frame"), tip = $("#tip"), legend = $("#legend");
	const count = categories.length, starts = [], isLine = new Uint8Array(x.length);
	// Sections whose places have names on the map.
	const labelled = data.sections.filter(({ label }) => label >= 0).map(({ title, columns, rows, label }) => {
		const at = columns.findIndex(([name]) => name === "place");
		return { title, names: rows.filter((row) => row[at]).map((row) => [row[label], ...row[at]]) };
	});
	// Of each category what lies under other things, and the rest; how many there are, and their lines.
	const points = [...categories, ...categories].map(() => []), counts = categories.map(() => 0), lines = points.map(() => []);
	const group = classOf.map((each) => classes[each][3]);
	group.forEach((each, point) => {
		counts[each]++;
		points[each + count * classes[classOf[point]][6]].push(point);
	});
	// The rectangles of each class, the longest side, and how far they reach from its place.
	const boxes = classes.map((each) => each[4]), spans = boxes.map((each) => max(0, ...each.flatMap(([, , wide, long]) => [wide, long])));
	const reaches = boxes.map((each) => 1.5 * max(0, ...each.flatMap(([left, top, wide, long]) => [left, top, left + wide, top + long].map(abs))));
	let end = 0;
	owners.forEach((owner, line) => {
		isLine[owner] = 1;
		starts.push(end);
		end += 2 * lengths[line];
		lines[group[owner]].push(line);
	});
	// At first, nature is seen only where nothing else is.
	const nature = categories.findIndex(([name]) => name === "nature"), off = new Set(counts[nature] < x.length ? [nature] : []);
	let found, mark, view, width, height, isWaiting;

	// Cosine and sine of the turn of an object.
	const turnOf = (point, angle = data.turns[point] * PI / 128) => [cos(angle), sin(angle)];
	const circle = (paint, h, v, radius) => {
		pen.beginPath();
		pen.arc(h, v, radius, 0, 2 * PI);
		pen[paint]();
	};
	const isShown = (point) => !off.has(group[point]);
	// What only manages others is at 0, 0: it has no place of its own.
	const isPlaced = (point) => isShown(point) && (!data.hasCategories || x[point] || y[point] || spans[classOf[point]]);
	const redraw = () => (isWaiting ||= requestAnimationFrame(draw));
	function fit(isWanted) {
		let [left, top, right, bottom] = [Infinity, Infinity, -Infinity, -Infinity];
		const include = (h, v) => ([left, right, top, bottom] = [min(left, h), max(right, h), min(top, v), max(bottom, v)]);
		x.forEach((h, point) => {
			const v = y[point], [a, b] = turnOf(point);
			if (isWanted(point)) for (const [x0, y0, wide, long] of [[0, 0, 0, 0], ...boxes[classOf[point]]])
				for (const dx of [x0, x0 + wide]) for (const dy of [y0, y0 + long]) include(h + a * dx - b * dy, v + b * dx + a * dy);
		});
		for (const { names } of labelled) for (const [, h, v] of names) include(h, v);
		if (left > right) [left, top, right, bottom] = [0, 0, 1, 1];
		view = { x: (left + right) / 2, y: (top + bottom) / 2, scale: 0.92 * min(width / (right - left || 1), height / (bottom - top || 1), 40) };
		redraw();
	}
	function draw() {
		isWaiting = 0;
		const { scale } = view, ratio = devicePixelRatio, left = width / 2 - view.x * scale, top = height / 2 - view.y * scale;
		const reset = () => pen.setTransform(ratio, 0, 0, ratio, 0, 0);
		reset();
		pen.clearRect(0, 0, width, height);
		const isOut = (h, v, margin) => min(h, v, width - h, height - v) < -margin;
		for (const pass of found ? [0, 1] : [1])
			// Structures, the last category, lie under machines, and islands and bases under all.
			for (let layer = points.length - 1; layer >= 0; layer--) {
				const category = layer % count;
				if (off.has(category)) continue;
				pen.fillStyle = pen.strokeStyle = colour(category);
				pen.globalAlpha = pass ? (layer < count ? 0.9 : 0.3) : 0.13;
				const radius = max(found && pass ? 4 : x.length > 30000 ? 1.4 : 2.4, min(7, scale * 2));
				for (const point of points[layer]) {
					if (isLine[point] || (found && found[point] !== pass)) continue;
					const h = x[point] * scale + left, v = y[point] * scale + top, each = classOf[point];
					if (isOut(h, v, 9 + reaches[each] * scale)) continue;
					if (spans[each] * scale > radius + 1.5) {
						const [a, b] = turnOf(point);
						pen.setTransform(a * ratio, b * ratio, -b * ratio, a * ratio, h * ratio, v * ratio);
						for (const [left, top, wide, long] of boxes[each]) {
							if (classes[each][5]) circle("fill", 0, 0, (wide * scale) / 2);
							else pen.fillRect(left * scale, top * scale, max(wide * scale - 0.6, 1.4), long * scale - 0.6);
						}
						reset();
						// The middle of what lies under others is a dot.
						if (!classes[each][5]) continue;
					}
					pen.fillRect(h - radius / 2, v - radius / 2, radius, radius);
				}
				pen.lineWidth = max(1, min(5, scale * 1.4)) + (found && pass ? 2 : 0);
				pen.beginPath();
				for (const line of lines[layer]) {
					let at = starts[line];
					const end = at + 2 * lengths[line], h = corners[at] * scale + left, v = corners[at + 1] * scale + top;
					if ((found && found[owners[line]] !== pass) || isOut(h, v, 400 * scale)) continue;
					pen.moveTo(h, v);
					while ((at += 2) < end) pen.lineTo(corners[at] * scale + left, corners[at + 1] * scale + top);
				}
				pen.stroke();
			}
		pen.globalAlpha = 1;
		const style = getComputedStyle(canvas), names = [];
		pen.fillStyle = pen.strokeStyle = style.color;
		pen.lineWidth = 2.5;
		pen.font = "600 12px system-ui, sans-serif";
		for (const [number, each] of labelled.entries())
			for (const [text, east, south] of off.has(-1 - number) ? [] : each.names) {
				const h = east * scale + left, v = south * scale + top, wide = pen.measureText(text).width + 8;
				circle("stroke", h, v, 4);
				// A name that would cover another one is seen after zooming in.
				const x = min(h + 8, width - wide), y = [v - 6, v + 14].find((y) => !isOut(h, v, 4) && !names.some((other) => abs(other.y - y) < 14 && x < other.x + other.wide && other.x < x + wide));
				if (y) names.push({ text, x, y, wide });
			}
		if (mark) circle("stroke", mark[0] * scale + left, mark[1] * scale + top, 16);
		pen.strokeStyle = style.backgroundColor;
		for (const { text, x, y } of names) pen.strokeText(text, x, y), pen.fillText(text, x, y);
		const power = 10 ** Math.floor(Math.log10(140 / scale)), bar = power * [5, 2, 1].find((step) => step * power * scale <= 140);
		$("#scale").style.width = `${bar * scale}px`;
		$("#scale").textContent = `${number(bar)} ${data.unit}`;
	}
	const move = (h, v) => () => ((view.x += h / view.scale), (view.y += v / view.scale), redraw());
	function zoom(factor, { offsetX: h, offsetY: v } = { offsetX: width / 2, offsetY: height / 2 }) {
		const scale = min(200, max(1e-4, view.scale * factor)), shift = 1 / view.scale - 1 / scale;
		view = { x: view.x + (h - width / 2) * shift, y: view.y + (v - height / 2) * shift, scale };
		redraw();
	}
	function nearest(h, v) {
		const wx = view.x + (h - width / 2) / view.scale, wy = view.y + (v - height / 2) / view.scale;
		let best = -1, around = -1, least = (9 / view.scale) ** 2;
		const isHit = (point) => isShown(point) && (!found || found[point]);
		const look = (point, px, py) => {
			const far = (px - wx) ** 2 + (py - wy) ** 2;
			if (far < least && isHit(point)) [least, best] = [far, point];
		};
		x.forEach((px, point) => {
			if (isLine[point]) return;
			look(point, px, y[point]);
			// Inside of a large one, its place may be far.
			const each = classOf[point], dx = wx - px, dy = wy - y[point];
			if (max(abs(dx), abs(dy)) > reaches[each] || spans[each] > spans[classOf[around]] || !isHit(point)) return;
			const [a, b] = turnOf(point), h = dx * a + dy * b, v = dy * a - dx * b;
			if (boxes[each].some(([left, top, wide, long]) => h >= left && h <= left + wide && v >= top && v <= top + long)) around = point;
		});
		owners.forEach((owner, line) => {
			for (let at = starts[line]; at < starts[line] + 2 * lengths[line]; at += 2) look(owner, corners[at], corners[at + 1]);
		});
		return best < 0 ? around : best;
	}
	function hover({ offsetX: h, offsetY: v }) {
		const point = nearest(h, v);
		if ((tip.hidden = point < 0)) return point;
		const name = nameOf(point), said = detailsOf(name), more = said.length > 12 ? [`… and ${said.length - 12} more`] : [];
		const lines = [...said.slice(0, 12), ...more].map((text) => make("div", text, { className: "said" }));
		tip.replaceChildren(make("b", classes[classOf[point]][2]), ...lines, make("div", `${categories[group[point]][0]} · ${number(x[point])} ${data.unit}, ${number(y[point])} ${data.unit}`), make("div", name));
		tip.style.left = `${max(4, min(h + 14, width - tip.offsetWidth - 4))}px`;
		tip.style.top = `${v > height / 2 ? v - tip.offsetHeight - 8 : v + 16}px`;
		return point;
	}
	function search() {
		const wanted = $("#search").value.trim().toLowerCase();
		const hits = classes.map(([, real, shown]) => `${real}\n${shown}`.toLowerCase().includes(wanted));
		const byName = !hits.includes(true) || /\d/.test(wanted);
		found = wanted && classOf.map((each, point) => hits[each] || (byName && nameOf(point).toLowerCase().includes(wanted)));
		const points = found && found.reduce((sum, each) => sum + each);
		// What is found is seen.
		group.forEach((each, point) => found?.[point] && off.has(each) && $(`[value="${each}"]`, legend).click());
		$("#found").textContent = found && `${number(points)} found`;
		$("#zoom-found").disabled = !points;
		redraw();
	}

	const addSwitch = (each, ...about) => {
		const button = makeButton("", () => {
			off.delete(each) || off.add(each);
			button.ariaPressed = !off.has(each);
			redraw();
		}, { value: each, ariaPressed: !off.has(each) });
		button.append(...about);
		legend.append(button);
	};
	categories.forEach(([name], category) => counts[category] && addSwitch(category, dot(category), `${name} ${number(counts[category])}`));
	labelled.forEach(({ title }, number) => addSwitch(-1 - number, `names: ${title}`));
	const picked = $("#picked"), [name, copy] = picked.children, held = new Map();
	let timer, isMoved;
	$("#search").oninput = () => (clearTimeout(timer), (timer = setTimeout(search, 120)));
	$("#zoom-found").onclick = () => fit((point) => found[point]);
	canvas.onpointerdown = (event) => {
		canvas.setPointerCapture(event.pointerId);
		held.set(event.pointerId, event);
	};
	canvas.onpointermove = (event) => {
		const id = event.pointerId, before = held.get(id);
		if (!before) return hover(event);
		tip.hidden = isMoved = true;
		held.delete(id);
		const [other] = held.values();
		if (other) {
			// Two fingers zoom around the other.
			const far = (one) => Math.hypot(one.offsetX - other.offsetX, one.offsetY - other.offsetY) || 1;
			zoom(far(event) / far(before), other);
		} else move(before.x - event.x, before.y - event.y)();
		held.set(id, event);
	};
	const pick = (point) => {
		if ((picked.hidden = point < 0)) return;
		name.textContent = nameOf(point);
		copy.textContent = "Copy";
	};
	canvas.onpointerup = canvas.onpointercancel = (event) => {
		pick(isMoved ? -1 : hover(event));
		held.delete(event.pointerId);
		isMoved &&= held.size > 0;
	};
	copy.onclick = () => navigator.clipboard.writeText(name.textContent).then(() => (copy.textContent = "Copied"));
	canvas.ondblclick = (event) => zoom(2, event);
	canvas.onpointerleave = () => (tip.hidden = true);
	canvas.onwheel = (event) => {
		event.preventDefault();
		zoom(Math.exp(-event.deltaY / 400), event);
	};
	const keys = { ArrowLeft: move(-60, 0), ArrowRight: move(60, 0), ArrowUp: move(0, -60), ArrowDown: move(0, 60),
		0: () => fit(isPlaced), "+": () => zoom(1.4), "-": () => zoom(0.7), Enter: () => pick(hover({ offsetX: width / 2, offsetY: height / 2 })) };
	$("#all").onclick = keys[0];
	canvas.onkeydown = (event) => keys[event.key]?.(event.preventDefault());
	new ResizeObserver(() => {
		width = frame.clientWidth, height = frame.clientHeight;
		canvas.width = width * devicePixelRatio, canvas.height = height * devicePixelRatio;
		view ? draw() : fit(isPlaced);
	}).observe(frame);
	const lookFor = (text) => {
		$("#search").value = text;
		search();
		$("#world").scrollIntoView();
	};
	const goTo = (place) => {
		mark = place;
		view = { x: place[0], y: place[1], scale: max(view.scale, 3) };
		redraw();
		$("#world").scrollIntoView();
	};
	return { lookFor, goTo };
}

// --- what takes the bytes ---

// Boxes of parts: the longer side is cut where both halves have about as many bytes.
function squares(parts, left, top, width, height) {
	if (parts.length < 2) return [[left, top, width, height]].slice(0, parts.length);
	const total = parts.reduce((sum, part) => sum + part[1], 0);
	let cut = 1, first = parts[0][1];
	while (cut < parts.length - 1 && first + parts[cut][1] / 2 < total / 2) first += parts[cut++][1];
	const one = parts.slice(0, cut), other = parts.slice(cut), wide = (width * first) / total, high = (height * first) / total;
	return width > height
		? squares(one, left, top, wide, height).concat(squares(other, left + wide, top, width - wide, height))
		: squares(one, left, top, width, high).concat(squares(other, left, top + high, width, height - high));
}

function showBytes() {
	const pen = make("canvas").getContext("2d"), face = getComputedStyle(document.body).fontFamily;
	const tiles = $("#tiles"), trail = $("#trail"), way = [data.tree], total = data.tree[1];
	const shareOf = (part) => `${size(part[1])} · ${((100 * part[1]) / total).toFixed(1)} %`;
	function tile(part, [left, top, width, height], tag, strength, font, room = height - 4) {
		const hue = part[2] === data.categories.length - 1 ? "#8f8f8f" : colour(part[2]);
		const title = `${part[0]}  ${shareOf(part)}`, style = `left: ${left}px; top: ${top}px; width: ${width}px; height: ${height}px;
			font-size: ${font}px; --hue: ${hue}; --share: ${strength}%`;
		const box = make(tag, "", { className: "tile", title, ariaLabel: title, style });
		pen.font = `${font}px ${face}`;
		box.append(width > 150 && fitted(title, width - 10, font * 1.4) || fitted(part[0], width - 10, room, font * 1.2) || (width > 60 && room > font ? start(part[0], width - 10) : ""));
		return box;
	}
	// As much of a text as fits.
	function start(text, width) {
		while (pen.measureText(`${text}…`).width > width) text = text.slice(0, -1);
		return `${text}…`;
	}
	// A text in lines that fit into a box; "" if it does not fit.
	function fitted(text, width, height, line = height) {
		const lines = [];
		const widthOf = (text) => pen.measureText(text.trimEnd()).width;
		for (const word of text.split(/(?<=[a-z])(?=[A-Z])|(?<=[ _/])/)) {
			if (lines.length && widthOf(lines.at(-1) + word) <= width) lines[lines.length - 1] += word;
			else lines.push(word);
			if (lines.length * line > height || widthOf(lines.at(-1)) > width) return "";
		}
		return lines.join("\n");
	}
	function show(takesFocus) {
		const node = way.at(-1);
		trail.replaceChildren(make("span", shareOf(node)));
		way.forEach((each, depth) => {
			const back = () => ((way.length = depth + 1), show(true));
			trail.lastChild.before(makeButton(each[0], back, { disabled: each === node }), "›");
		});
		tiles.replaceChildren();
		squares(node[3], 0, 0, tiles.clientWidth, tiles.clientHeight).forEach((box, index) => {
			const part = node[3][index], opens = part[3].length > 0, side = min(box[2], box[3]), isFlat = side < 60;
			if (side < 2) return;
			const outer = tile(part, box, opens ? "button" : "div", 55, 13, opens && !isFlat ? 18 : undefined);
			outer.onclick = () => opens && (way.push(part), show(true));
			tiles.append(outer);
			if (isFlat) return;
			squares(part[3], 2, 20, box[2] - 6, box[3] - 24).forEach((inner, at) => {
				if (inner[2] > 3 && inner[3] > 3) outer.append(tile(part[3][at], inner, "span", 45 - (25 * at) / part[3].length, 11));
			});
		});
		if (takesFocus === true) $("button", tiles)?.focus();
	}
	new ResizeObserver(show).observe(tiles);
}

// --- tables ---

function showTable(section, rows, columns, sorted) {
	section.hidden = !rows.length;
	const [filter, output, head, body] = ["input", "output", "thead tr", "tbody"].map((query) => $(query, section));
	let by = columns.findIndex(({ name }) => name === sorted), isDown = true, most = 200;
	columns.forEach(({ name, className }, index) => {
		const cell = make("th", "", { className, scope: "col" });
		cell.append(makeButton(name, () => ((isDown = by === index ? !isDown : className === "number"), (by = index), show())));
		head.append(cell);
	});
	function show() {
		const wanted = filter.value.trim().toLowerCase(), value = columns[by]?.value ?? (() => 0);
		const shown = rows.filter((row) => columns.some(({ className, value }) => className !== "number" && `${value(row)}`.toLowerCase().includes(wanted)));
		shown.sort((one, other) => ((value(one) > value(other)) - (value(one) < value(other))) * (isDown ? -1 : 1));
		[...head.children].forEach((cell, index) => (cell.ariaSort = index !== by ? "none" : isDown ? "descending" : "ascending"));
		body.replaceChildren(...shown.slice(0, most).map((row) => {
			const line = make("tr");
			for (const { className, value, cell } of columns) {
				line.append(make("td", "", { className }));
				line.lastChild.append(...(cell(row) || [number(value(row))]));
			}
			return line;
		}));
		output.textContent = `${number(shown.length)} of ${number(rows.length)} `;
		if (shown.length > most) output.append(makeButton("Show all", () => ((most = Infinity), show())));
	}
	filter.oninput = show;
	show();
}

// Columns of a table, with their names and kinds; one without a value, as in an old save, is left out.
function columnsOf(columns, rows, { goTo, lookFor }) {
	const link = (text, onclick) => [makeButton(text, onclick, { title: "Show on the map" })];
	const cells = {
		place: (cell) => cell && link(cell.map((side) => number(Math.round(side) + 0)).join(", "), () => goTo?.(cell)),
		onMap: (cell, row) => cell && link(number(cell), () => lookFor(row[0][1])),
		id: (cell) => [make("code", cell)],
		share: (cell) => cell !== null && [percent(cell)],
		duration: (cell) => cell !== "" && [cell ? [3600, 60, 1].map((unit) => `${Math.floor(cell / unit) % (unit < 3600 ? 60 : Infinity)}`.padStart(2, "0")).join(":") : "now"],
		numbered: (cell) => [`${cell}`],
		// What people call it, what the save calls it, and perhaps its category.
		class: ([shown, real, category]) => [category >= 0 ? dot(category) : "", `${shown} `, shown === real ? "" : make("code", real)],
	};
	return columns.map(([name, kind], at) => ({
		name: name.replace("_", " "),
		className: { id: "minor", minor: "minor", text: "", class: "", place: "" }[kind] ?? "number",
		value: (row) => kind === "class" ? `${row[at][0]} ${row[at][1]}` : row[at] ?? "",
		cell: (row) => cells[kind]?.(row[at], row),
	})).filter(({ value }) => rows.some((row) => `${value(row)}`.trim()));
}

// A section with a table of its own: an answer of a command.
function addSection({ id, title, about, command, columns, rows, total }, map) {
	const section = $("#more").content.cloneNode(true).firstElementChild, shown = total > rows.length ? `the first ${number(rows.length)} of ${number(total)}` : number(total);
	section.id = id;
	$("h2", section).textContent = title;
	$("p", section).append(`${about} The same rows: `, make("code", `streamsave ${command}`));
	$("#bytes").before(section);
	showTable(section, rows, columnsOf(columns, rows, map));
	$("#contents").append(make("a", `${title} `, { href: `#${id}` }));
	$("#contents").lastChild.append(make("span", shown, { className: "quiet" }));
}

async function main() {
	data = await unpack();
	$("#note").textContent = data.note;
	const isMap = data.x.length > 0, map = isMap ? showMap() : ($("#world").remove(), {});
	for (const section of data.sections) addSection(section, map);
	showBytes();
	const show = (section, rows, columns, sorted) => showTable($(section), rows, columnsOf(columns, rows, map), sorted);
	show("#classes", data.table.map(([shown, real, kind, category, count, placed, size, mod]) =>
		[[shown, real, category], data.hasCategories ? data.categories[category][0] : "", kind, mod, count, isMap ? placed : "", size]),
		[["class", "class"], ["category", "minor"], ["kind", "minor"], ["mod", "minor"], ["number", "number"], ["on the map", "onMap"], ["bytes", "number"]], "bytes");
	show("#items", data.items.map(([shown, item, ...counts]) => [[shown, item], ...counts]), [["item", "class"], ["number", "number"], ["stacks", "number"]], "number");
	$("#loading").remove();
	dark.onchange = () => location.reload();
	$("html").dataset.ready = "";
}
main().catch((error) => ($("#loading").textContent = `This page needs a browser from 2023: ${error}`));
