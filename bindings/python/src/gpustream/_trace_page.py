# SPDX-License-Identifier: Apache-2.0
"""A trace as a page that needs no network, and as a picture."""
from __future__ import annotations

import json
import math
from html import escape

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from gpustream._trace_merge import Document

# What a bar is, by its category: its colour, and what the legend says.
_KINDS = {
    "user_annotation": ("#4e79a7", "range of a thread"), "cuda_driver": ("#76b7b2", "call of the driver"),
    "function": ("#f28e2b", "host function runs"),
    "gpu_user_annotation": ("#59a14f", "range timed on the device"), "gpustream": ("#b07aa1", "operation is submitted"), "cuda_sync": ("#e15759", "wait"),
}
_OTHER = ("#9c9c9c", "other")
_LEFT, _RIGHT, _TOP, _ROW, _WIDTH = 220, 36, 74, 18, 1280


def _key(event: dict[str, Any]) -> tuple[str, str]:
    return str(event.get("pid")), str(event.get("tid"))


def _joined(events: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """What is drawn as a bar: spans, moments, and ranges that any thread may end, from their begin to their end."""
    ends = {event["id"]: event["ts"] for event in events if event.get("ph") == "e"}
    last = max((event["ts"] for event in events if "ts" in event), default=0)
    joined = [{**event, "dur": max(ends.get(event["id"], last) - event["ts"], 0)} for event in events if event.get("ph") == "b"]
    return [event for event in events if event.get("ph") in ("X", "i")] + joined


def view(document: Document) -> Document:
    """What is drawn: lanes with their names and depths, bars, and arrows. Times in microseconds from the first one."""
    events = document["traceEvents"]
    processes, threads = {}, {}
    for event in events:
        if event.get("ph") == "M" and event.get("name") == "process_name":
            processes[str(event["pid"])] = str(event["args"]["name"])
        elif event.get("ph") == "M" and event.get("name") == "thread_name":
            threads[_key(event)] = str(event["args"]["name"])
    spans = sorted(_joined(events), key=lambda one: (_key(one), one["ts"], -one.get("dur", 0)))
    zero = min((event["ts"] for event in spans), default=0)
    lanes: dict[tuple[str, str], dict[str, Any]] = {}
    bars: list[Document] = []
    open_ends: dict[tuple[str, str], list[float]] = {}
    for event in spans:
        key, begin = _key(event), event["ts"] - zero
        end = begin + event.get("dur", 0)
        name = threads.get(key, key[1])
        lane = lanes.setdefault(key, {"name": f"{processes.get(key[0], key[0])}: {name}", "rows": 1})
        ends = open_ends.setdefault(key, [])
        while ends and ends[-1] <= begin:
            ends.pop()
        depth = len(ends)
        ends.append(max(end, begin + 0.001))
        lane["rows"] = max(lane["rows"], depth + 1)
        name = str(event.get("name", ""))
        bars.append({"lane": list(lanes).index(key), "row": depth, "from": round(begin, 3), "to": round(end, 3), "name": name,
                     "kind": "function" if name == "host function runs" else str(event.get("cat", "")), "about": {**event.get("args", {})}})
    last: dict[tuple[int, int], Document] = {}
    for bar in bars:  # a name may stand behind a short bar as far as the next one in its row
        if before := last.get((bar["lane"], bar["row"])):
            before["room"] = bar["from"]
        last[bar["lane"], bar["row"]] = bar
    begins = {event["id"]: event for event in events if event.get("ph") == "s" and event.get("cat") == "order"}
    numbers = {key: number for number, key in enumerate(lanes)}
    arrows = [{"from_lane": numbers[_key(begins[event["id"]])], "from": round(begins[event["id"]]["ts"] - zero, 3),
               "to_lane": numbers[_key(event)], "to": round(event["ts"] - zero, 3)}
              for event in events if event.get("ph") == "f" and event.get("id") in begins
              and _key(event) in numbers and _key(begins[event["id"]]) in numbers]
    colours = {kind: colour for kind, (colour, _) in _KINDS.items()}
    kinds = {bar["kind"] for bar in bars}
    legend = [[text, colour] for kind, (colour, text) in _KINDS.items() if kind in kinds] + [[_OTHER[1], _OTHER[0]]] * bool(kinds - _KINDS.keys())
    return {"lanes": list(lanes.values()), "bars": bars, "arrows": arrows, "colours": colours, "other": _OTHER[0], "legend": legend,
            "dropped": document.get("gpustream", {}).get("dropped", 0)}


def _step(span: float) -> float:
    """The distance of the ticks of an axis, for about ten of them."""
    power = 10.0 ** math.floor(math.log10(span / 10))
    return next(power * factor for factor in (1, 2, 5, 10) if power * factor * 10 >= span * 0.999)


def _width(text: str) -> float:
    """How wide a text of 11 pixels is, with the widest of common fonts."""
    return sum(11.6 if one in "mwMW@%" or ord(one) > 0x1100 else 4.2 if one in "iljft.,:;'|()[]! " else 8.2 if one.isupper() else 7 for one in text)


def _shortened(text: str, room: float) -> str:
    while _width(text) > room:
        text = text.removesuffix("…")[:-1] + "…"
    return text


def picture(document: Document) -> str:
    """The trace as SVG."""
    drawn = view(document)
    tops, y = [], _TOP
    for lane in drawn["lanes"]:
        tops.append(y)
        y += lane["rows"] * _ROW + 8
    end = max((bar["to"] for bar in drawn["bars"]), default=0) or 1
    scale = (_WIDTH - _LEFT - _RIGHT) / end
    heading = f'gpustream: {end / 1000:.3f} ms, {drawn["dropped"]} operations dropped' if drawn["bars"] else "gpustream: nothing was traced"
    parts = [f'<svg xmlns="http://www.w3.org/2000/svg" width="{_WIDTH}" height="{y + 20}" viewBox="0 0 {_WIDTH} {y + 20}" font-family="system-ui, sans-serif" '
             'font-size="11"><defs><marker id="tip" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="6" markerHeight="6" orient="auto">'
             '<path d="M0,0 L8,4 L0,8 z" fill="#333"/></marker></defs>'
             f'<rect width="100%" height="100%" fill="#fff"/><text x="12" y="24" font-size="14">{heading}</text>']
    x = 30 + 14 / 11 * _width(heading)
    for text, colour in drawn["legend"]:
        parts.append(f'<rect x="{x:.0f}" y="14" width="11" height="11" fill="{colour}"/><text x="{x + 16:.0f}" y="24">{text}</text>')
        x += 30 + _width(text)
    if drawn["arrows"]:
        parts.append(f'<path d="M{x:.0f},20 h24" stroke="#333" marker-end="url(#tip)"/><text x="{x + 30:.0f}" y="24">must come before</text>')
    step, number = _step(end), 0
    while drawn["bars"] and (at := number * step) <= end:
        left = _LEFT + at * scale
        parts.append(f'<line x1="{left:.2f}" x2="{left:.2f}" y1="{_TOP - 12}" y2="{y}" stroke="#eceef0"/>'
                     f'<text x="{left:.2f}" y="{_TOP - 17}" text-anchor="middle" fill="#666">{at / 1000:.6g} ms</text>')
        number += 1
    for lane, top in zip(drawn["lanes"], tops):
        parts.append(f'<text x="{_LEFT - 8}" y="{top + 13}" text-anchor="end">{escape(_shortened(lane["name"], _LEFT - 20))}</text>'
                     f'<line x1="{_LEFT}" x2="{_WIDTH - _RIGHT}" y1="{top - 4}" y2="{top - 4}" stroke="#e3e5e8"/>')
    used: dict[float, float] = {}  # where the last bar of a row, or its name, ends
    for bar in drawn["bars"]:
        x, top = _LEFT + bar["from"] * scale, tops[bar["lane"]] + bar["row"] * _ROW
        width = max((bar["to"] - bar["from"]) * scale, 1)
        about = f'{bar["name"]}: {bar["to"] - bar["from"]:.3f} us'
        parts.append(f'<rect x="{x:.2f}" y="{top}" width="{width:.2f}" height="{_ROW - 3}" fill="{drawn["colours"].get(bar["kind"], drawn["other"])}">'
                     f"<title>{escape(about)}</title></rect>")
        room, wanted = (bar.get("room", end) - bar["from"]) * scale, _width(bar["name"]) + 6
        free, used[top] = x - used.get(top, _LEFT), x + width
        if bar["name"] and width > wanted:
            parts.append(f'<text x="{x + 3:.2f}" y="{top + 11}" fill="#fff">{escape(bar["name"])}</text>')
        elif bar["name"] and room - width > wanted:
            parts.append(f'<text x="{x + width + 2:.2f}" y="{top + 11}" fill="#444">{escape(bar["name"])}</text>')
            used[top] += wanted
        elif bar["name"] and free > wanted:
            parts.append(f'<text x="{x - 3:.2f}" y="{top + 11}" text-anchor="end" fill="#444">{escape(bar["name"])}</text>')
    for arrow in drawn["arrows"]:
        parts.append(f'<line x1="{_LEFT + arrow["from"] * scale:.2f}" y1="{tops[arrow["from_lane"]] + 8}" x2="{_LEFT + arrow["to"] * scale:.2f}" '
                     f'y2="{tops[arrow["to_lane"]] + 8}" stroke="#333" stroke-opacity="0.6" marker-end="url(#tip)"/>')
    return "\n".join(parts) + "\n</svg>\n"


# The data stands in the page as JSON, in which "<" cannot end the script.
_PAGE = """<!doctype html>
<html lang="en"><head><meta charset="utf-8"><title>gpustream trace</title>
<style>
body{margin:0;font:13px system-ui,sans-serif}header{padding:6px 10px;display:flex;gap:12px;align-items:center;border-bottom:1px solid #ddd}
#legend i{display:inline-block;width:10px;height:10px;margin:0 4px 0 12px}#view{display:block;cursor:grab}#about{white-space:pre;position:fixed;pointer-events:none;background:#222;color:#fff;padding:4px 6px;display:none}
</style></head><body>
<header><b>gpustream</b><input id="search" type="search" placeholder="search" aria-label="search"><span id="found"></span>
<button id="all">whole trace</button><span id="span"></span><span id="legend"></span></header>
<canvas id="view"></canvas><div id="about"></div>
<script id="data" type="application/json">%DATA%</script>
<script>
"use strict";
const data=JSON.parse(document.getElementById("data").textContent),canvas=document.getElementById("view"),pen=canvas.getContext("2d");
const TIP=new Path2D("M0,0 L-7,-3.5 L-7,3.5 z"),LEFT=220,ROW=18,search=document.getElementById("search"),about=document.getElementById("about");
const end=Math.max(1e-3,...data.bars.map(b=>b.to)),tops=[];let height=30,from=0,to=end;
document.getElementById("legend").innerHTML=data.legend.map(p=>'<i style="background:'+p[1]+'"></i>'+p[0]).join("")+(data.arrows.length?" &nbsp; → must come before":"");
for(const lane of data.lanes){tops.push(height);height+=lane.rows*ROW+8}
const width=()=>canvas.clientWidth-LEFT-10,x=t=>LEFT+(t-from)/(to-from)*width(),time=px=>from+(px-LEFT)/width()*(to-from);
const step=span=>{const p=10**Math.floor(Math.log10(span/10));return p*[1,2,5,10].find(f=>p*f*10>=span*0.999)};
const matches=b=>search.value!==""&&b.name.toLowerCase().includes(search.value.toLowerCase());
function draw(){
 const sharp=window.devicePixelRatio||1;canvas.style.width="100%";canvas.style.height=height+"px";
 canvas.width=canvas.clientWidth*sharp;canvas.height=height*sharp;pen.setTransform(sharp,0,0,sharp,0,0);pen.font="11px system-ui";
 data.lanes.forEach((lane,i)=>{pen.fillStyle="#eee";pen.fillRect(0,tops[i]-4,canvas.clientWidth,1);pen.fillStyle="#000";pen.fillText(lane.name,6,tops[i]+12,LEFT-12)});
 const by=step(to-from);for(let n=Math.ceil(from/by);n*by<=to;n++){pen.fillStyle="#eceef0";pen.fillRect(x(n*by),18,1,height);
  pen.fillStyle="#666";pen.fillText(Number((n*by/1000).toPrecision(9))+" ms",x(n*by)+3,14)}
 pen.save();pen.beginPath();pen.rect(LEFT,0,width(),height);pen.clip();
 for(const b of data.bars){const l=x(b.from),w=Math.max(1,x(b.to)-l);if(l>LEFT+width()||l+w<LEFT)continue;
  const y=tops[b.lane]+b.row*ROW;pen.fillStyle=data.colours[b.kind]||data.other;pen.fillRect(l,y,w,ROW-3);
  if(matches(b)){pen.strokeStyle="#f00";pen.lineWidth=2;pen.strokeRect(l,y,w,ROW-3)}
  if(w>30){pen.fillStyle="#fff";pen.fillText(b.name,Math.max(l,LEFT)+3,y+11,w-6)}
  else if(x(b.room??end)-l-w>7*b.name.length){pen.fillStyle="#444";pen.fillText(b.name,l+w+2,y+11)}}
 pen.strokeStyle="rgba(0,0,0,.5)";pen.lineWidth=1;
 pen.fillStyle="#333";for(const a of data.arrows){const u=x(a.from),v=tops[a.from_lane]+8,p=x(a.to),q=tops[a.to_lane]+8;
  pen.beginPath();pen.moveTo(u,v);pen.lineTo(p,q);pen.stroke();
  pen.save();pen.translate(p,q);pen.rotate(Math.atan2(q-v,p-u));pen.fill(TIP);pen.restore()}
 pen.restore();
 document.getElementById("span").textContent=(from/1000).toFixed(3)+" to "+(to/1000).toFixed(3)+" ms, "+data.dropped+" operations dropped";
 document.getElementById("found").textContent=search.value===""?"":data.bars.filter(matches).length+" found"}
canvas.addEventListener("wheel",e=>{e.preventDefault();const t=time(e.offsetX),by=Math.exp(e.deltaY/300);
 from=Math.max(0,t-(t-from)*by);to=Math.min(end,Math.max(t+(to-t)*by,from+1e-3));draw()},{passive:false});
let grip=null;canvas.addEventListener("mousedown",e=>{grip=[e.offsetX,from,to]});addEventListener("mouseup",()=>{grip=null});
canvas.addEventListener("mousemove",e=>{
 if(grip){const by=(grip[0]-e.offsetX)/width()*(grip[2]-grip[1]),d=Math.min(Math.max(by,-grip[1]),end-grip[2]);from=grip[1]+d;to=grip[2]+d;draw();return}
 const t=time(e.offsetX),slack=(to-from)/width();
 const hit=data.bars.filter(b=>e.offsetY>=tops[b.lane]+b.row*ROW&&e.offsetY<tops[b.lane]+(b.row+1)*ROW&&t>=b.from-slack&&t<=b.to+slack).pop();
 about.style.display=hit?"block":"none";
 if(hit){about.textContent=hit.name+"\\n"+(hit.to-hit.from).toFixed(3)+" us\\n"+Object.entries(hit.about).map(p=>p.join(": ")).join("\\n");
  about.style.left=e.clientX+12+"px";about.style.top=e.clientY+12+"px"}});
search.addEventListener("input",()=>{const one=data.bars.find(matches);
 if(one&&(one.from>to||one.to<from)){const w=to-from;from=Math.max(0,one.from-w/2);to=Math.min(end,from+w)}draw()});
document.getElementById("all").addEventListener("click",()=>{from=0;to=end;draw()});addEventListener("resize",draw);draw();
</script></body></html>
"""


def page(document: Document) -> str:
    """The trace as a page: the wheel zooms, the mouse moves, the field searches."""
    return _PAGE.replace("%DATA%", json.dumps(view(document)).replace("<", "\\u003c"))
